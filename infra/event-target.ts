import { Duration } from 'aws-cdk-lib';
import { EventField, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SfnStateMachine } from 'aws-cdk-lib/aws-events-targets';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { ConfigError } from '../src/errors.ts';
import { hintAt } from '../src/nearest.ts';
import type { DeadLetters } from './dead-letters.ts';

/** The run that an event starts. */
export interface EventTargetProps {
  /** One of the agents that are deployed. */
  readonly agent: string;
  /** Its task: a text, in which fields of the event may be (`EventField`). */
  readonly prompt: string;
  /**
   * Its material: a text, or an object that it reads as JSON, in which fields of the event may be.
   * @default source, type, time and detail of the event
   */
  readonly context?: string | Readonly<Record<string, unknown>>;
  /** How long an event may wait for its run to be started. @default Duration.hours(1) */
  readonly maxEventAge?: Duration;
}

/**
 * @param agents the names of those that are deployed
 * @throws {ConfigError} if the agent is none of them
 */
export function toEventTarget(
  { agent, prompt, context, maxEventAge = Duration.hours(1) }: EventTargetProps,
  machine: StateMachine,
  deadLetters: DeadLetters,
  agents: readonly string[],
): SfnStateMachine {
  if (!agents.includes(agent)) {
    const hint = hintAt(agent, agents);
    throw new ConfigError(`agent ${JSON.stringify(agent)} is not deployed, so no event can start it${hint}`);
  }
  return new SfnStateMachine(machine, {
    input: RuleTargetInput.fromObject({
      agent,
      prompt,
      context: context ?? {
        source: EventField.source,
        type: EventField.detailType,
        time: EventField.time,
        detail: EventField.fromPath('$.detail'),
      },
    }),
    deadLetterQueue: deadLetters.queue,
    maxEventAge,
    retryAttempts: 20,
  });
}
