import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toBranches, type ServiceEvent } from '../../../src/authoring/verify/history.ts';

/** One line of a branch: its type, and the name of a state or of the Map that an iteration belongs to. */
type Line = [type: string, name?: string];

const BEFORE: Line[] = [['ExecutionStarted'], ['MapStateEntered', 'Act'], ['MapStateStarted']];
const AFTER: Line[] = [['MapStateSucceeded'], ['MapStateExited', 'Act'], ['ExecutionSucceeded']];
const ITERATION: Line[] = [
  ['MapIterationStarted', 'Act'],
  ['TaskStateEntered', 'Work'],
  ['TaskScheduled'],
  ['TaskStateExited', 'Work'],
  ['MapIterationSucceeded', 'Act'],
];

function toEvent(id: number, previousEventId: number, [type, name = '']: Line, index = 0): ServiceEvent {
  const isIteration = type.startsWith('MapIteration');
  const key = `${type.charAt(0).toLowerCase()}${type.slice(1)}EventDetails`;
  return {
    id,
    previousEventId,
    type,
    ...(type.endsWith('StateEntered') && { stateEnteredEventDetails: { name } }),
    ...(type.endsWith('StateExited') && { stateExitedEventDetails: { name } }),
    ...(isIteration && { [key]: { name, index } }),
  };
}

const toText = ([type, name]: Line) =>
  name === undefined || type.startsWith('MapIteration') ? type : `${type} ${name}`;

test('a history reads the same in any order of its iterations', () => {
  fc.assert(
    fc.property(
      fc.shuffledSubarray([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2], { minLength: 15 }),
      (order) => {
        const events: ServiceEvent[] = [];
        const add = (line: Line, previous: number, index?: number) => {
          events.push(toEvent(events.length + 1, previous, line, index));
          return events.length;
        };
        for (const line of BEFORE) add(line, events.length);
        const started = events.length;
        const last = [started, started, started];
        const next = [0, 0, 0];
        for (const index of order) {
          last[index] = add(ITERATION[next[index] ?? 0] ?? [''], last[index] ?? 0, index);
          next[index] = (next[index] ?? 0) + 1;
        }
        for (const line of AFTER) add(line, events.length);
        expect(Object.fromEntries(toBranches(events))).toEqual({
          '': [...BEFORE, ...AFTER].map(toText),
          ...Object.fromEntries(
            [1, 2, 3].map((number) => [`Act 1, iteration ${number}`, ITERATION.map(toText)]),
          ),
        });
      },
    ),
  );
});
