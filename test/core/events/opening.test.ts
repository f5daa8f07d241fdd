import { expect, test } from 'vitest';
import { fromCursor } from '../../../src/core/events/positions.ts';
import type { TreeRecords } from '../../../src/core/events/records.ts';
import { createTeller } from '../../../src/core/events/tell.ts';
import type { Opened } from '../../../src/core/records/opened.ts';
import type { Turn } from '../../../src/core/records/turn.ts';
import { anOpened, aRun, aTurn } from '../../fixtures/records.ts';

const top = aRun();

/** A tree of one run as it was read. */
function read(opened?: Opened, ...made: Turn[]): TreeRecords {
  const turns = made.map((turn) => ({ turn, questions: [], begins: [], ends: [], children: [] }));
  return {
    runs: new Map([[top.id, { run: top, opened, turns, draft: undefined }]]),
    at: Date.parse(top.startedAt),
  };
}

/** The events from a cursor on, each by its type, with the cursor behind it. */
function told(records: TreeRecords, from?: string): { type: string; cursor: string }[] {
  const events = [];
  const positions = from === undefined ? undefined : fromCursor(top.id, from);
  for (const { event, cursor } of createTeller(top, positions).news(records))
    events.push({ type: event.type, cursor: cursor() });
  return events;
}

/** The types of events, from one on. */
const typesOf = (events: { type: string }[], from = 0) => events.slice(from).map(({ type }) => type);

test.each([
  ['with a skill and files', anOpened({ skill: 'digging', files: ['a.md'] })],
  ['with neither', anOpened()],
])(
  'whoever comes back in the middle of an opening %s is told the rest of it, and nothing twice',
  (_, opened) => {
    const early = told(read());
    const begun = told(read(opened));
    const whole = told(read(opened, aTurn()));
    expect(typesOf(early)).toEqual(['run_opened']);
    expect(typesOf(told(read(), early[0]?.cursor))).toEqual([]);
    for (const [index, { cursor }] of [...early.entries(), ...begun.entries()]) {
      const next = index + 1;
      expect(typesOf(told(read(opened), cursor))).toEqual(typesOf(begun, next));
      expect(typesOf(told(read(opened, aTurn()), cursor))).toEqual(typesOf(whole, next));
    }
  },
);
