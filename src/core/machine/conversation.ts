import { LONGEST_TIMEOUT } from '../records/deadline.ts';
import { ACT_ON_ONE, RUN_LEAVES, RUN_SUB_AGENTS, RUN_TOOLS } from './act.ts';
import { REDRIVES } from './agent-input.ts';
import { GRACE_SECONDS, invoke, invokeAndAwait } from './invoke.ts';
import { FUNCTION_RETRIES, RECORD_RETRIES, TIMED_FUNCTION_RETRIES } from './retries.ts';

/** Seconds for a function that reads and writes the store and does nothing else. */
const STORE_SECONDS = 60;

const ANY_FAILURE = [
  { ErrorEquals: ['States.ALL'], Output: '{% $states.errorOutput %}', Next: 'Record the failure' },
];

/** The input of a turn without calls before it. */
export const FRESH_TURN = { outcomes: [], attempt: 0, shortages: 0 };

/** The input of a turn that is made again. */
const SAME_TURN = {
  outcomes: '{% $states.input.outcomes %}',
  attempt: '{% $states.input.attempt %}',
  shortages: '{% $states.input.shortages %}',
};

/** The input of the execution. */
const GIVEN = '$states.context.Execution.Input';

/**
 * The ways to the next wave of a turn's calls. The last one goes to a Map of its own if its steps are all of the same
 * kind, as they mostly are: its iterations need not ask for their kind, and the turn follows at once.
 * @param when what has to hold besides, as the beginning of an expression
 */
const toNextWave = (when = '') => [
  { Condition: `{% ${when}$count($states.input.waves) > 1 %}`, Next: 'Act' },
  { Condition: `{% ${when}$states.input.waves[0].kind = 'delegate' %}`, Next: 'Run sub-agents' },
  { Condition: `{% ${when}$states.input.waves[0].kind = 'express' %}`, Next: 'Run leaves' },
  { Condition: `{% ${when}$states.input.waves[0].kind = 'invoke' %}`, Next: 'Run tools' },
  { Condition: `{% ${when}$count($states.input.waves) > 0 %}`, Next: 'Act' },
];

/** Carries out a wave. */
export const wave = (ItemProcessor: object) => ({
  Type: 'Map',
  Items: '{% $states.input.waves[0].steps %}',
  MaxConcurrency: '{% $states.input.waves[0].concurrency %}',
  ItemProcessor,
  Catch: ANY_FAILURE,
});

const OUTCOMES =
  '{% $exists($states.input.outcomes) ? $append($states.input.outcomes, $states.result) : $states.result %}';

/** The outcomes with those of a wave, and the waves that are left: a turn has at most 100 calls. */
export const WITH_WAVES_LEFT = {
  ...FRESH_TURN,
  outcomes: OUTCOMES,
  waves: '{% [$states.input.waves[[1..99]]] %}',
};

/** The last wave of a turn, of one kind: with its outcomes, the next turn has everything. */
const lastWave = (ItemProcessor: object) => ({
  ...wave(ItemProcessor),
  Output: { ...FRESH_TURN, outcomes: OUTCOMES },
  Next: 'Take turn',
});

/**
 * The machine whose executions carry conversations, in the States Language with JSONata. It knows functions and kinds
 * of steps, but no agent, model or tool; every text that a model reads is written elsewhere.
 *
 * `npm run generate` writes it to `infra/conversation.asl.json`, for people who read definitions.
 */
export const CONVERSATION = {
  Comment: 'One conversation of one agent. A turn plans, the machine acts.',
  QueryLanguage: 'JSONata',
  StartAt: 'Open',
  TimeoutSeconds: LONGEST_TIMEOUT,
  States: {
    Open: {
      Comment: 'Loads the agent, gathers its context and writes the conversation down',
      ...invoke('OpenFunction', {
        execution: '{% $states.context.Execution.Id %}',
        name: '{% $states.context.Execution.Name %}',
        redrives: `{% ${REDRIVES} %}`,
        input: '{% $states.input %}',
      }),
      TimeoutSeconds: STORE_SECONDS,
      Retry: TIMED_FUNCTION_RETRIES,
      Catch: ANY_FAILURE,
      Assign: {
        turn: 0,
        waits: 0,
        run: '{% $states.result.Payload.run %}',
        holder: '{% $states.result.Payload.holder %}',
        deadline: '{% $states.result.Payload.deadline %}',
        timeout: '{% $states.result.Payload.timeout %}',
        patience: '{% $states.result.Payload.patience %}',
      },
      Output: FRESH_TURN,
      Next: 'Take turn',
    },
    'Take turn': {
      Comment: 'Sends the conversation to the model, keeps the answer and plans its calls',
      ...invoke('TurnFunction', {
        run: '{% $run %}',
        holder: `{% $holder + ${REDRIVES} %}`,
        execution: '{% $states.context.Execution.Id %}',
        turn: '{% $turn + 1 %}',
        deadline: '{% $deadline %}',
        timeout: '{% $timeout %}',
        patience: '{% $patience %}',
        outcomes: '{% $states.input.outcomes %}',
        attempt: '{% $states.input.attempt %}',
        shortages: '{% $states.input.shortages %}',
        waits: '{% $waits %}',
      }),
      TimeoutSeconds: `{% $max([1, $ceil(($deadline - $millis()) / 1000)]) + $patience + ${GRACE_SECONDS} %}`,
      Retry: FUNCTION_RETRIES,
      Catch: ANY_FAILURE,
      Assign: { turn: '{% $states.result.Payload.turn %}' },
      Output: '{% $states.result.Payload %}',
      Next: 'What next?',
    },
    'What next?': {
      Type: 'Choice',
      Choices: [
        { Condition: "{% $states.input.next = 'answered' %}", Next: 'Answered' },
        { Condition: "{% $states.input.next = 'idle' %}", Next: 'Idle' },
        { Condition: "{% $states.input.next = 'wait' %}", Next: 'Back off' },
        { Condition: "{% $states.input.next = 'batch' %}", Next: 'Await batch' },
        { Condition: "{% $states.input.next = 'superseded' %}", Next: 'Superseded' },
        ...toNextWave("$states.input.next = 'act' and "),
        // The machine has nothing to do for any of the calls.
        { Condition: "{% $states.input.next = 'act' %}", Output: FRESH_TURN, Next: 'Take turn' },
      ],
      Default: 'Unknown step',
    },
    Idle: {
      Comment: 'Waits until the agent gets mail, or none of its forks is at work any more',
      ...invokeAndAwait({
        rest: {
          run: '{% $run %}',
          holder: `{% $holder + ${REDRIVES} %}`,
          execution: '{% $states.context.Execution.Id %}',
          deadline: '{% $deadline %}',
          token: '{% $states.context.Task.Token %}',
        },
      }),
      TimeoutSeconds: `{% $max([1, $ceil(($deadline - $toMillis($states.context.State.EnteredTime)) / 1000)]) + $patience %}`,
      Retry: FUNCTION_RETRIES,
      // Once its time is over, the turn finds that what it has answered stands.
      Catch: [{ ErrorEquals: ['States.Timeout'], Output: FRESH_TURN, Next: 'Take turn' }, ...ANY_FAILURE],
      // A person who writes to it gives it time.
      Assign: {
        deadline: '{% $exists($states.result.deadline) ? $states.result.deadline : $deadline %}',
      },
      Output: FRESH_TURN,
      Next: 'Take turn',
    },
    'Back off': {
      Type: 'Wait',
      Comment: "The model's API asked for patience, or others at work hold what is left of the budget",
      Timestamp: '{% $states.input.until %}',
      Assign: { waits: '{% $states.input.waits %}' },
      Output: SAME_TURN,
      Next: 'Take turn',
    },
    'Await batch': {
      Comment:
        'Waits until a batch has brought the answer of the model, or the turn does not wait for it any longer',
      ...invokeAndAwait({
        batch: {
          run: '{% $run %}',
          holder: `{% $holder + ${REDRIVES} %}`,
          execution: '{% $states.context.Execution.Id %}',
          turn: '{% $turn + 1 %}',
          token: '{% $states.context.Task.Token %}',
        },
      }),
      TimeoutSeconds:
        '{% $max([1, $ceil(($toMillis($states.input.until) - $toMillis($states.context.State.EnteredTime)) / 1000)]) %}',
      Retry: FUNCTION_RETRIES,
      Catch: [{ ErrorEquals: ['States.Timeout'], Output: SAME_TURN, Next: 'Take turn' }, ...ANY_FAILURE],
      Output: SAME_TURN,
      Next: 'Take turn',
    },
    Act: {
      Comment: 'Carries out one wave of the calls of a turn; a call that fails is an outcome, not a failure',
      ...wave(ACT_ON_ONE),
      Output: WITH_WAVES_LEFT,
      Next: 'More?',
    },
    'More?': { Type: 'Choice', Choices: toNextWave(), Default: 'Take turn' },
    'Run sub-agents': {
      Comment: 'The last wave, if it consists of sub-agents',
      ...lastWave(RUN_SUB_AGENTS),
    },
    'Run leaves': {
      Comment: 'The last wave, if it consists of sub-agents in Express executions',
      ...lastWave(RUN_LEAVES),
    },
    'Run tools': {
      Comment: 'The last wave, if it consists of tools',
      ...lastWave(RUN_TOOLS),
    },
    Answered: {
      Type: 'Succeed',
      Output: { run: '{% $run %}', status: '{% $states.input.status %}', turns: '{% $turn %}' },
    },
    Superseded: {
      Type: 'Succeed',
      Comment: 'Another execution carries the run, or it was closed: nothing is left to do here',
      Output: { run: '{% $run %}', status: 'superseded' },
    },
    'Unknown step': {
      Type: 'Pass',
      Comment: 'The function and the machine are not of the same version',
      Output: {
        Error: 'AgentError',
        Cause:
          "{% 'the turn asks for a next step that this machine does not have: ' & $string($states.input.next) %}",
      },
      Next: 'Record the failure',
    },
    'Record the failure': {
      Comment: "Writes down why the run failed, in the shape of the event that reports an execution's end",
      ...invoke('SettleFunction', {
        detail: {
          executionArn: '{% $states.context.Execution.Id %}',
          name: '{% $states.context.Execution.Name %}',
          input: `{% $string({ 'run': ${GIVEN}.run, 'holder': ${GIVEN}.holder }) %}`,
          redriveCount: `{% ${REDRIVES} %}`,
          status: 'FAILED',
          error: '{% $states.input.Error %}',
          cause: "{% $exists($states.input.Cause) ? $states.input.Cause : '' %}",
        },
      }),
      TimeoutSeconds: STORE_SECONDS,
      Retry: RECORD_RETRIES,
      Catch: [{ ErrorEquals: ['States.ALL'], Output: '{% $states.input %}', Next: 'Failed' }],
      Output: '{% $states.input %}',
      Next: 'Failed',
    },
    Failed: {
      Type: 'Fail',
      Comment: 'The language keeps names that begin with "States." for itself',
      Error:
        "{% $substring($states.input.Error, 0, 7) = 'States.' ? $substring($states.input.Error, 7) : $states.input.Error %}",
      Cause: '{% $exists($states.input.Cause) ? $states.input.Cause : $states.input.Error %}',
    },
  },
};
