import { AGENT, deadlineOf, ENTERED, REDRIVES, SECONDS_LEFT } from './agent-input.ts';
import { GRACE_SECONDS, invoke, invokeAndAwait } from './invoke.ts';
import { howItEnded, runLeaf } from './leaf.ts';
import { FUNCTION_RETRIES, START_ALONE_RETRIES, START_RETRIES, TIMED_FUNCTION_RETRIES } from './retries.ts';

/** Seconds for one request to Step Functions. */
const START_SECONDS = 30;

const WAITS_UNTIL = deadlineOf('$states.input.wait');

/** The input of a function for a call that it is to carry out. */
const CALL = {
  run: '{% $run %}',
  holder: `{% $holder + ${REDRIVES} %}`,
  execution: '{% $states.context.Execution.Id %}',
  turn: '{% $turn %}',
  call: '{% $states.input.call %}',
  timeout: '{% $states.input.timeout %}',
  deadline: '{% $deadline %}',
  patience: '{% $patience %}',
};

const ERROR = '$states.errorOutput.Error';
const CAUSE = '$states.errorOutput.Cause';

/** A step that has failed ends as well, in the state that reports it. */
const caught = (error: string, cause: string, Next: string) => [
  {
    ErrorEquals: ['States.ALL'],
    Output: { call: '{% $states.input.call %}', error: `{% ${error} %}`, cause: `{% ${cause} %}` },
    Next,
  },
];

/** The cause of a failed execution is its whole description; the record of the run has a better message. */
const SHORT_CAUSE = `${ERROR} = 'States.TaskFailed' or $not($exists(${CAUSE})) ? '' : $substring(${CAUSE}, 0, 200)`;
const anyFailure = (Next: string) => caught(ERROR, SHORT_CAUSE, Next);

/**
 * Whether a sub-agent's execution was stopped, as its description says: its record is closed by an event, which comes
 * after this. Texts in the description have their quotes escaped, and it may be cut: it is not parsed.
 */
const WAS_STOPPED = `${ERROR} = 'States.TaskFailed' and $contains(${CAUSE}, '"Status":"ABORTED"')`;
const GIVEN_REASON = `$substring($substringBefore($substringAfter(${CAUSE}, '"Cause":"'), '"'), 0, 200)`;
const failureOfAgent = (Next: string) =>
  caught(
    `${WAS_STOPPED} ? 'Stopped' : ${ERROR}`,
    `${WAS_STOPPED} ? ($contains(${CAUSE}, '"Cause":"') ? ${GIVEN_REASON} : '') : (${SHORT_CAUSE})`,
    Next,
  );

/** @param report the state that reports its failure, as in the states below */
const runSubAgent = (report: string) => ({
  Type: 'Task',
  Comment: 'A nested execution of this very machine',
  Resource: 'arn:${Partition}:states:::states:startExecution.sync:2',
  Arguments: AGENT,
  TimeoutSeconds: `{% ${SECONDS_LEFT} + $patience + ${GRACE_SECONDS} %}`,
  Retry: START_RETRIES,
  Catch: failureOfAgent(report),
  Output: { call: '{% $states.input.call %}' },
  End: true,
});

const runTool = (report: string) => ({
  Comment: 'Carries the call out and keeps its result',
  ...invoke('ToolFunction', CALL),
  TimeoutSeconds: `{% $states.input.timeout + ${GRACE_SECONDS} %}`,
  Retry: TIMED_FUNCTION_RETRIES,
  Catch: anyFailure(report),
  Output: { call: '{% $states.input.call %}' },
  End: true,
});

const LEAF_ENDED = { Type: 'Succeed', Output: { call: '{% $states.input.call %}' } };

const REPORT = {
  Type: 'Succeed',
  Comment: 'The call came to no result, which the next turn tells its model',
};

/** The iterations of a wave whose steps are all sub-agents that nobody has to approve. No two states share a name. */
export const RUN_SUB_AGENTS = {
  ProcessorConfig: { Mode: 'INLINE' },
  StartAt: 'Run one sub-agent',
  States: {
    'Run one sub-agent': runSubAgent('Report the failed sub-agent'),
    'Report the failed sub-agent': REPORT,
  },
};

/** The same for leaves: see leaf.ts. */
export const RUN_LEAVES = {
  ProcessorConfig: { Mode: 'INLINE' },
  StartAt: 'Run one leaf',
  States: {
    'Run one leaf': runLeaf('How did the leaf end?'),
    'How did the leaf end?': howItEnded({
      moved: 'Move one leaf',
      failed: 'Report the failed leaf',
      ended: 'The leaf has ended',
    }),
    'Move one leaf': runSubAgent('Report the failed leaf'),
    'The leaf has ended': LEAF_ENDED,
    'Report the failed leaf': REPORT,
  },
};

/** The same for tools. */
export const RUN_TOOLS = {
  ProcessorConfig: { Mode: 'INLINE' },
  StartAt: 'Run one tool',
  States: {
    'Run one tool': runTool('Report the failed tool'),
    'Report the failed tool': REPORT,
  },
};

/**
 * The states of one step of a turn, of whatever kind: an iteration of the Map `Act`. A failed step is an outcome that
 * the next turn puts into words, so every state here ends in success.
 */
export const ACT_ON_ONE = {
  ProcessorConfig: { Mode: 'INLINE' },
  StartAt: 'What kind?',
  States: {
    'What kind?': {
      Type: 'Choice',
      Choices: [
        { Condition: '{% $states.input.gate = true %}', Next: 'Ask' },
        { Condition: "{% $states.input.kind = 'delegate' %}", Next: 'Run sub-agent' },
        { Condition: "{% $states.input.kind = 'express' %}", Next: 'Run leaf' },
        { Condition: "{% $states.input.kind = 'start' %}", Next: 'Start agent' },
        { Condition: "{% $states.input.kind = 'invoke' %}", Next: 'Run tool' },
        { Condition: "{% $states.input.kind = 'control' %}", Next: 'Control agents' },
        { Condition: "{% $states.input.kind = 'ask' %}", Next: 'Ask' },
      ],
      Default: 'Unknown kind',
    },
    'Run sub-agent': runSubAgent('Report the failure'),
    'Run leaf': runLeaf('How did it end?'),
    'How did it end?': howItEnded({
      moved: 'Run sub-agent',
      failed: 'Report the failure',
      ended: 'Nothing to do',
    }),
    'Start agent': {
      Type: 'Task',
      Comment: 'An execution of this very machine, which goes on beside this one',
      Resource: 'arn:${Partition}:states:::states:startExecution',
      Arguments: AGENT,
      TimeoutSeconds: START_SECONDS,
      Retry: START_ALONE_RETRIES,
      Catch: anyFailure('Report the failure'),
      Output: { call: '{% $states.input.call %}' },
      End: true,
    },
    'Control agents': {
      Comment: 'Carries out a call that reaches other agents and keeps its result',
      ...invoke('ControlFunction', { call: CALL }),
      TimeoutSeconds: `{% $states.input.timeout + ${GRACE_SECONDS} %}`,
      Retry: TIMED_FUNCTION_RETRIES,
      Catch: anyFailure('Report the failure'),
      Output: { call: '{% $states.input.call %}' },
      End: true,
    },
    'Run tool': runTool('Report the failure'),
    Ask: {
      Comment: 'Writes a question down and waits for its answer, which is in the store when the token comes',
      ...invokeAndAwait({
        ask: {
          run: '{% $run %}',
          holder: `{% $holder + ${REDRIVES} %}`,
          execution: '{% $states.context.Execution.Id %}',
          turn: '{% $turn %}',
          call: '{% $states.input.call %}',
          patience: '{% $patience %}',
          until: `{% ${WAITS_UNTIL} %}`,
          token: '{% $states.context.Task.Token %}',
        },
      }),
      TimeoutSeconds: `{% $max([1, $ceil((${WAITS_UNTIL} - ${ENTERED}) / 1000)]) %}`,
      Retry: FUNCTION_RETRIES,
      Catch: anyFailure('Report the failure'),
      // A gate opens once: the rest of the step is its input.
      Output:
        "{% $merge([$states.input, { 'gate': false, 'approved': $states.input.gate = true and $states.result.approved = true }]) %}",
      Next: 'Approved?',
    },
    'Approved?': {
      Type: 'Choice',
      Choices: [{ Condition: '{% $states.input.approved %}', Next: 'What kind?' }],
      Default: 'Nothing to do',
    },
    'Nothing to do': {
      Type: 'Succeed',
      Comment: 'A question or a leaf has ended, or a call is not made: the store knows how and why',
      Output: { call: '{% $states.input.call %}' },
    },
    'Unknown kind': {
      Type: 'Pass',
      Comment: 'The function and the machine are not of the same version',
      Output: {
        call: '{% $states.input.call %}',
        error: 'AgentError',
        cause: 'this machine does not know what to do with the call',
      },
      Next: 'Report the failure',
    },
    'Report the failure': REPORT,
  },
};
