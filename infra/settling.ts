import { Duration } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as Handler } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Conversation } from './conversation.ts';
import type { DeadLetters } from './dead-letters.ts';

export interface SettlingProps {
  conversation: Conversation;
  settle: Handler;
  deadLetters: DeadLetters;
}

/** How long an end of a run that could not be written down is tried again. */
const MAX_AGE = Duration.hours(6);

/**
 * Tells `settle` of executions that ended without an answer. No state of theirs can: they were stopped, or took too
 * long as a whole. Both ways that an event can get lost end in the dead letters: it does not reach the function, or the
 * function fails again and again.
 */
export class Settling extends Construct {
  constructor(scope: Construct, id: string, { conversation, settle, deadLetters }: SettlingProps) {
    super(scope, id);
    // Lambda sends in the name of the function. CDK's own destination would let it look at the queue too.
    settle.addToRolePolicy(
      new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [deadLetters.queue.queueArn] }),
    );
    settle.configureAsyncInvoke({
      maxEventAge: MAX_AGE,
      retryAttempts: 2,
      onFailure: { bind: () => ({ destination: deadLetters.queue.queueArn }) },
    });
    new Rule(this, 'Ended', {
      description: 'Executions of the conversation machine that ended without an answer',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: {
          stateMachineArn: [conversation.machine.stateMachineArn],
          status: ['FAILED', 'TIMED_OUT', 'ABORTED'],
        },
      },
      targets: [
        new LambdaFunction(settle, {
          deadLetterQueue: deadLetters.queue,
          retryAttempts: 20,
          maxEventAge: MAX_AGE,
        }),
      ],
    });
  }
}
