import { expect, test } from 'vitest';
import {
  beginning,
  forgetAllOpenQuestions,
  forgetClosedBelow,
  forgetOpenQuestions,
  isCallTold,
  isPast,
  type Position,
  type Positions,
} from '../../../src/core/events/positions.ts';
import { aRun } from '../../fixtures/records.ts';

const at = (path: string) => aRun({ path });

/** Positions at these places, those marked `!` told to their end. */
function positionsAt(...places: string[]): Positions {
  return new Map(
    places.map((place) => {
      const isClosed = place.endsWith('!');
      return [place.replace('!', ''), { ...beginning(), closedBy: isClosed ? 1 : undefined }];
    }),
  );
}

test.each<[string, string, number, string[], string[], string[]]>([
  [
    'of earlier turns, with all below and their questions',
    '',
    2,
    [],
    ['', 't1c1!', 't1c1_t1c1!', 't1c1_t1c1?t1c1', 't1c1?t1c2'],
    [''],
  ],
  ['not of the turn that is told, or of later ones', '', 2, [], ['', 't2c1!', 't3c1!'], ['', 't2c1', 't3c1']],
  ['not those that have not been told to their end', '', 2, [], ['', 't1c1', 't1c2!'], ['', 't1c1']],
  [
    'not those below which another goes on that was left behind',
    '',
    2,
    [],
    ['', 't1c1!', 't1c1_t1c1!', 't1c1_t2c2_t1c1', 't1c2!', 't1c2_t1c1!'],
    ['', 't1c1', 't1c1_t1c1', 't1c1_t2c2_t1c1'],
  ],
  ['not those of other runs', 't1c1', 9, [], ['t2c1!', 't1c1_t1c1!', 't1c1_t1c1_t1c1!'], ['t2c1']],
  [
    'not forks, with what is below these',
    '',
    2,
    ['t1c1', 't1c2_t1c1'],
    ['', 't1c1!', 't1c1_t1c1!', 't1c2!', 't1c2_t1c1', 't1c2_t1c1_t1c1', 't1c2_t1c2!'],
    ['', 't1c1', 't1c1_t1c1', 't1c2_t1c1', 't1c2_t1c1_t1c1'],
  ],
])('runs are forgotten once they are told: %s', (_, path, turn, forks, before, after) => {
  const positions = positionsAt(...before);
  forgetClosedBelow(at(path), turn, positions, new Set(forks));
  expect([...positions.keys()]).toEqual(after);
});

test('open questions are asked again, of one run or of all, and those that are told to their end are not', () => {
  const told = (place: string, told: number) => [place, { ...beginning(), told }] as const;
  const all = [told('', 1), told('?t1c1', 1), told('?t1c2', 2), told('t1c1', 1), told('t1c1?t1c1', 1)];
  const [one, every] = [new Map(all), new Map(all)];
  forgetOpenQuestions(at(''), one);
  forgetAllOpenQuestions(every);
  expect([[...one.keys()], [...every.keys()]]).toEqual([
    ['', '?t1c2', 't1c1', 't1c1?t1c1'],
    ['', '?t1c2', 't1c1'],
  ]);
});

const inTurn = (turn: number, ...ended: number[]): Position => ({
  ...beginning(),
  turn,
  ended: new Set(ended),
});

test.each<[string, string, Record<string, Position>, string[], [call: boolean, past: boolean]]>([
  ['the call is of an earlier turn', 't1c2', { '': inTurn(2) }, [], [true, true]],
  ['the call is of a later turn', 't2c2', { '': inTurn(1) }, [], [false, false]],
  ['the call has ended in this turn', 't1c2', { '': inTurn(1, 2) }, [], [true, true]],
  ['another call has ended in this turn', 't1c2', { '': inTurn(1, 1) }, [], [false, false]],
  ['the run itself is still told of', 't1c2', { '': inTurn(2), t1c2: inTurn(1) }, [], [true, false]],
  ['a call above has ended, and its run was forgotten', 't1c1_t5c1', { '': inTurn(2) }, [], [true, true]],
  ['a fork above it goes on', 't1c1_t5c1', { '': inTurn(2) }, ['t1c1'], [false, false]],
  ['it is a fork', 't1c1', { '': inTurn(2) }, ['t1c1'], [true, false]],
  ['nothing is known', 't1c1', {}, [], [false, false]],
])('whether a run has been told to its end where %s', (_, path, known, forks, [isTold, isOver]) => {
  const positions = new Map(Object.entries(known));
  expect([
    isCallTold(at(path), positions, new Set(forks)),
    isPast(at(path), positions, new Set(forks)),
  ]).toEqual([isTold, isOver]);
});
