import { DEADLINE, leafArguments, REDRIVES, SECONDS_LEFT } from './agent-input.ts';
import { EXPRESS_SECONDS } from './express.ts';
import { GRACE_SECONDS } from './invoke.ts';
import { LEAF_RETRIES } from './retries.ts';

/**
 * Leaves: sub-agents that call no agents, ask nobody and are done within minutes. Their executions are of the Express
 * kind, which is billed by time and not by transition (leaf-conversation.ts). Step Functions can neither describe nor
 * stop one, and starts it again if it is asked twice, so that the fence of the run decides which of them goes on
 * (`holder`). One that needs more than such an execution has is moved: a Standard execution takes the run over where it
 * is.
 */

/** How an execution says that it leaves its run to a Standard one, in the place of a status. */
export const MOVED = 'moved';

/** Each attempt to start it has a holder of its own, and each redrive of the caller begins above all earlier ones. */
const FIRST_HOLDER = `$states.input.holder + 100 * ${REDRIVES}`;
const HOLDER = `${FIRST_HOLDER} + $states.context.State.RetryCount`;
const NEXT_HOLDER = `${FIRST_HOLDER} + ${1 + Math.max(...LEAF_RETRIES.map(({ MaxAttempts }) => MaxAttempts))}`;

/** A failure that the state `Failed` reports is in the store. Other names begin with `States.`: nobody stored them. */
const FAILED = "$states.result.Status = 'FAILED' and $substring($states.result.Error, 0, 7) != 'States.'";

/** The step as it goes on, with how it ended. One that is moved keeps the time that it was given. */
const ENDED = `(
  $said := $states.result.Status = 'SUCCEEDED' ? $parse($states.result.Output) : {};
  $merge([$states.input, {
    'ended': $exists($said.status) ? $said.status : ${FAILED} ? 'failed' : '${MOVED}',
    'error': $exists($states.result.Error) ? $states.result.Error : '',
    'cause': $exists($states.result.Cause) ? $substring($states.result.Cause, 0, 200) : '',
    'holder': ${NEXT_HOLDER},
    'deadline': $exists($said.deadline) ? $said.deadline : ${DEADLINE},
    'given': $exists($said.timeout) ? $said.timeout : ${SECONDS_LEFT}
  }])
)`.replaceAll(/\s+/g, ' ');

/** The same where no answer came: whether it runs is not known, and if it does, it ends at the fence. */
const UNKNOWN = `$merge([$states.input, { 'ended': '${MOVED}', 'holder': ${NEXT_HOLDER}, 'deadline': ${DEADLINE}, 'given': ${SECONDS_LEFT} }])`;

/** @param Next the state that finds out how it ended */
export const runLeaf = (Next: string) => ({
  Type: 'Task',
  Comment: 'An Express execution of the machine for leaves; the answer is 200 however it ends',
  Resource: 'arn:${Partition}:states:::aws-sdk:sfn:startSyncExecution',
  Arguments: leafArguments(HOLDER),
  TimeoutSeconds: `{% $min([${SECONDS_LEFT} + $patience, ${EXPRESS_SECONDS}]) + ${GRACE_SECONDS} %}`,
  Retry: LEAF_RETRIES,
  Catch: [{ ErrorEquals: ['States.ALL'], Output: `{% ${UNKNOWN} %}`, Next }],
  Output: `{% ${ENDED} %}`,
  Next,
});

/** @param next the states for each of the ends */
export const howItEnded = (next: { moved: string; failed: string; ended: string }) => ({
  Type: 'Choice',
  Choices: [
    { Condition: `{% $states.input.ended = '${MOVED}' %}`, Next: next.moved },
    {
      Condition: "{% $states.input.ended = 'failed' %}",
      Output: {
        call: '{% $states.input.call %}',
        error: '{% $states.input.error %}',
        cause: '{% $states.input.cause %}',
      },
      Next: next.failed,
    },
  ],
  Default: next.ended,
});
