import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { withMarks } from '../../scripts/mutate/marks.mjs';
import { mutantsOf, type Mutant } from '../../scripts/mutate/mutants.mjs';

const SOURCE = `
import { a } from './a.ts';
/** Says true. */
type Kind = 'one' | 'two';
export async function f(list: readonly number[], kind: Kind = 'one') {
  if (list.length > 3 && kind !== 'two') return { 'a-b': a(0), list: [...list], ...kindOf(kind) };
  await save(list ?? [1]);
  return !list.some((one) => one < 2 + 3);
}
`;

const brief = ({ line, before, after }: Mutant) => `${line}: ${before} -> ${after}`;

test('every place of the code that runs has its mutants, and types, imports and comments have none', () => {
  expect(mutantsOf('f.ts', SOURCE).map(brief)).toEqual([
    "5: 'one' -> ''",
    "6: list.length > 3 && kind !== 'two' -> true",
    "6: list.length > 3 && kind !== 'two' -> false",
    '6: > -> >=',
    '6: 3 -> (3 + 1)',
    '6: && -> ||',
    '6: !== -> ===',
    "6: 'two' -> ''",
    '6: 0 -> 1',
    '6: [...list] -> []',
    '6: ...kindOf(kind) -> ...{}',
    '7: await save(list ?? [1]); -> ;',
    '7: await save(list ?? [1]) -> save(list ?? [1])',
    '7: list ?? [1] -> list',
    '7: list ?? [1] -> [1]',
    '7: [1] -> []',
    '7: 1 -> (1 + 1)',
    '8: !list.some((one) => one < 2 + 3) -> list.some((one) => one < 2 + 3)',
    '8: some -> every',
    '8: < -> <=',
    '8: 2 -> (2 + 1)',
    '8: + -> -',
    '8: 3 -> (3 + 1)',
  ]);
});

const NUMBERED = `
const start = 1;
class Counter {
  step = 2;
  add(by = 3) {
    if (by > 4) return 5;
    return [by].map((one) => one + 6);
  }
}
if (start > 7) start.toFixed(8);
`;

test.each([
  ['', [1, 7]],
  ['new Counter()', [1, 2, 7]],
  ['new Counter().add()', [1, 2, 3, 4, 6, 7]],
  ['new Counter().add(9)', [1, 2, 4, 5, 7]],
])('a mutant is reached when the code around it runs: %s', (call, numbers) => {
  const places = [...NUMBERED.matchAll(/\d/g)].map(({ 0: number, index }) => ({
    start: index,
    end: index + 1,
    mark: Number(number),
  }));
  const reached = new Set<number>();
  const mutantReached = (mark: number) => reached.add(mark);
  runInNewContext(withMarks('f.js', NUMBERED, places) + call, { mutantReached });
  expect(reached).toEqual(new Set(numbers));
});
