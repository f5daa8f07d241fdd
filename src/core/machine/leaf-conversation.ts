import { parseJson, type Json } from '../../json.ts';
import { REDRIVES } from './agent-input.ts';
import { RUN_TOOLS } from './act.ts';
import { CONVERSATION, FRESH_TURN, wave, WITH_WAVES_LEFT } from './conversation.ts';
import { EXPRESS_SECONDS } from './express.ts';
import { MOVED } from './leaf.ts';

/**
 * The machine of leaves, in Express executions: the states of the conversation, except those that start agents or wait
 * for a token. A leaf that would need one of these ends as moved, and so does one whose Express execution runs out of
 * time: a Standard execution continues from the store, which has everything. Transitions cost nothing here.
 *
 * `npm run generate` writes it to `infra/leaf-conversation.asl.json`.
 */

/** Seconds after which no turn and no wave of tools begins. */
const BEGINS_SECONDS = 240;

const LAST_BEGIN = `$toMillis($states.context.Execution.StartTime) + ${1000 * BEGINS_SECONDS}`;
const IF_LATE = {
  Condition: `{% $toMillis($states.context.State.EnteredTime) > ${LAST_BEGIN} %}`,
  Next: 'Move',
};

const {
  Open: open,
  'Take turn': takeTurn,
  'Back off': backOff,
  Answered: answered,
  Superseded: superseded,
  'Record the failure': recordTheFailure,
  Failed: failed,
} = CONVERSATION.States;

const STATES = {
  Open: { ...open, Next: 'Is there time?' },
  'Is there time?': { Type: 'Choice', Choices: [IF_LATE], Default: 'Take turn' },
  'Take turn': takeTurn,
  'What next?': {
    Type: 'Choice',
    Choices: [
      { Condition: "{% $states.input.next = 'answered' %}", Next: 'Answered' },
      { Condition: "{% $states.input.next = 'superseded' %}", Next: 'Superseded' },
      IF_LATE,
      {
        Condition: `{% $states.input.next = 'wait' and $toMillis($states.input.until) > ${LAST_BEGIN} %}`,
        Next: 'Move',
      },
      { Condition: "{% $states.input.next = 'wait' %}", Next: 'Back off' },
      {
        Condition: "{% $states.input.next = 'act' and $states.input.waves[0].kind = 'invoke' %}",
        Next: 'Run tools',
      },
      {
        Condition: "{% $states.input.next = 'act' and $count($states.input.waves) = 0 %}",
        Output: FRESH_TURN,
        Next: 'Take turn',
      },
    ],
    Default: 'Move',
  },
  'Back off': backOff,
  'Run tools': {
    Comment: 'Carries out one wave of tools',
    ...wave(RUN_TOOLS),
    Output: WITH_WAVES_LEFT,
    Next: 'More?',
  },
  'More?': {
    Type: 'Choice',
    Choices: [
      { Condition: '{% $count($states.input.waves) = 0 %}', Next: 'Is there time?' },
      IF_LATE,
      { Condition: "{% $states.input.waves[0].kind = 'invoke' %}", Next: 'Run tools' },
    ],
    Default: 'Move',
  },
  Answered: answered,
  Superseded: superseded,
  Move: {
    Type: 'Succeed',
    Comment: 'A Standard execution goes on, in the time that is left',
    Output: {
      run: '{% $run %}',
      status: MOVED,
      deadline: '{% $deadline %}',
      timeout: '{% $timeout %}',
    },
  },
  'Record the failure': {
    ...recordTheFailure,
    Catch: [{ ErrorEquals: ['States.ALL'], Output: '{% $states.input %}', Next: 'Leave it open' }],
  },
  'Leave it open': {
    Type: 'Succeed',
    Comment: 'No event tells of the end of an Express execution: a Standard one tries again',
    Output: { status: MOVED },
  },
  Failed: failed,
};

export const LEAF_CONVERSATION: Json = parseJson(
  JSON.stringify({
    Comment: 'One conversation of an agent that calls no others and asks nobody.',
    QueryLanguage: 'JSONata',
    StartAt: 'Open',
    TimeoutSeconds: EXPRESS_SECONDS,
    States: STATES,
    // Nothing redrives an Express execution, and its context need not say so.
  }).replaceAll(REDRIVES, '0'),
);
