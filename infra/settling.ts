import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Function as Handler } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { endedRuleName } from '../src/places/aws/deployment.ts';
import type { Conversation } from './conversation.ts';
import { MAX_AGE, type DeadLetters } from './dead-letters.ts';

export interface SettlingProps {
  /** Its name. */
  environment: string;
  conversation: Conversation;
  settle: Handler;
  deadLetters: DeadLetters;
}

/** How often it is looked for what was lost: status changes are delivered at best effort (Step Functions, EventBridge). */
const SWEPT_EVERY = Duration.minutes(5);

/**
 * Tells `settle` of executions that ended without an answer. No state of theirs can: they were stopped, or took too
 * long as a whole. Both ways that an event can get lost end in the dead letters: it does not reach the function, or the
 * function fails again and again.
 */
export class Settling extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { environment, conversation, settle, deadLetters }: SettlingProps,
  ) {
    super(scope, id);
    deadLetters.takeFrom(settle);
    new Rule(this, 'Ended', {
      ruleName: endedRuleName(environment),
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
    new Rule(this, 'Sweep', {
      description: 'Looks for runs that have ended unnoticed, and for what people have written in vain',
      schedule: Schedule.rate(SWEPT_EVERY),
      // The next one comes soon: it is not worth repeating.
      targets: [
        new LambdaFunction(settle, {
          event: RuleTargetInput.fromObject({ sweep: true }),
          retryAttempts: 0,
          maxEventAge: SWEPT_EVERY,
        }),
      ],
    });
  }
}
