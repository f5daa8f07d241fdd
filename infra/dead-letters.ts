import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as Handler } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** How long an event that could not be handled is tried again: the most that Lambda allows. */
export const MAX_AGE = Duration.hours(6);

/**
 * The queue of events whose handling failed: ends of runs that were not written down, answers, messages and ends that
 * people asked for and that did not reach their agents, starts that did not start.
 */
export class DeadLetters extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
  }

  /** Has Lambda try again for hours what a function is given and nothing waits for, and keep what fails all the same. */
  takeFrom(handler: Handler): void {
    // Lambda sends in the name of the function. CDK's own destination would let it look at the queue too.
    handler.addToRolePolicy(
      new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.queue.queueArn] }),
    );
    handler.configureAsyncInvoke({
      maxEventAge: MAX_AGE,
      retryAttempts: 2,
      onFailure: { bind: () => ({ destination: this.queue.queueArn }) },
    });
  }
}
