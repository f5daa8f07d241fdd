import { dollarsOf, type Dollars } from './dollars.ts';
import { addUse, useOf, type Conversation, type Use } from './use.ts';

export interface Figure {
  what: string;
  /** Of one run, with everything below it. */
  use: Use;
  dollars: Dollars;
}

/** What three runs of different size use and cost, each started by one request to the API. */
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
  ];
}

function conversation(turns: number, calls: number, isTop = true): Conversation {
  return { turns, calls, failed: 0, isTop, hasLargeTexts: false };
}

function toFigure(what: string, use: Use): Figure {
  return { what, use, dollars: dollarsOf(use) };
}
