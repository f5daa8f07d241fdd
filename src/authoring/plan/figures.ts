import { defined } from '../../defined.ts';
import { dollarsOf, type Dollars } from './dollars.ts';
import {
  addUse,
  mapUse,
  useOf,
  useOfFork,
  useOfMessage,
  useOfQuestion,
  type PlannedConversation,
  type Use,
} from './use.ts';

export interface Figure {
  what: string;
  /** Of one run, with everything below it. */
  use: Use;
  dollars: Dollars;
}

/** The longest that a request to the API waits for a run to end, and about how often it reads the record meanwhile. */
const WAIT = { seconds: 25, reads: 30 };

/**
 * The use and cost of three runs of different size, each started by one request to the API, and the cost of waiting.
 */
export function figures(): Figure[] {
  return [
    toFigure('one turn', useOf(conversation(1, 0))),
    toFigure(
      'five turns with eight calls, each of a sub-agent that answers in one turn',
      addUse(useOf(conversation(5, 8)), useOf(conversation(1, 0, false)), 8),
    ),
    toFigure(
      'a parent with ten sub-agents of three turns',
      addUse(useOf(conversation(2, 10)), useOf(conversation(3, 0, false)), 10),
    ),
    toFigure(
      'the same with its sub-agents in Express executions',
      addUse(
        useOf({ ...conversation(2, 10), leafCalls: 10 }),
        useOf({ ...conversation(3, 0, false), isLeaf: true }),
        10,
      ),
    ),
    toFigure('besides: a question to a person, however long it waits', useOfQuestion()),
    toFigure('besides: a fork that answers in one turn, and the wait for it, idle', useOfFork()),
    toFigure('besides: a message that wakes a fork for one turn, and the wait for it', useOfMessage()),
    toFigure(
      'besides: a request that waits for 25 s',
      { ...mapUse(() => 0), apiRequests: 1, tableReads: WAIT.reads },
      WAIT.seconds,
    ),
  ];
}

function conversation(turns: number, calls: number, isTop = true): PlannedConversation {
  return { turns, calls, failed: 0, toolCalls: 0, isTop, hasLargeTexts: false };
}

function toFigure(what: string, use: Use, apiSeconds?: number): Figure {
  return { what, use, dollars: dollarsOf(use, defined({ api: apiSeconds })) };
}
