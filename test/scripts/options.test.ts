import { expect, test } from 'vitest';
import { optionsIn, type Option } from '../../scripts/options.mjs';

const OPTIONS = {
  seed: { type: 'whole', help: 'of the first' },
  minutes: { type: 'number', default: 1.5, help: 'for how long' },
  in: { type: 'string', multiple: true, default: ['src', 'infra'], help: 'a folder' },
  only: { type: 'whole', multiple: true, help: 'one of them' },
  slow: { type: 'boolean', help: 'takes longer' },
  worker: { type: 'boolean' },
} as const satisfies Record<string, Option>;

const HELP = `npm run x: does something

  --seed <n>           of the first
  --minutes <n>        for how long (1.5)
  --in <text>          a folder (src, infra)
  --only <n>           one of them
  --slow               takes longer
  --help               prints this`;

const read = (...given: string[]) => optionsIn('npm run x: does something', OPTIONS, given);

test('options have the values that were typed, or their own', () => {
  const otherwise = { minutes: 1.5, in: ['src', 'infra'], slow: false, worker: false };
  expect(read()).toEqual({ values: expect.objectContaining(otherwise) });
  expect(read('--seed', '7', '--in', 'src', '--in', 'test', '--only', '3', '--only', '0', '--slow')).toEqual({
    values: expect.objectContaining({
      seed: 7,
      minutes: 1.5,
      in: ['src', 'test'],
      only: [3, 0],
      slow: true,
      worker: false,
    }),
  });
  expect(read('--minutes', '0.2')).toEqual({ values: expect.objectContaining({ minutes: 0.2 }) });
});

test.each([
  [['--seed', '1.5'], '--seed takes a whole number, not "1.5"'],
  [['--seed', ''], '--seed takes a whole number, not ""'],
  [['--minutes', '-1'], "Option '--minutes' argument is ambiguous"],
  [['--minutes=-1'], '--minutes takes a number, not "-1"'],
  [['--only', '1', '--only', 'two'], '--only takes a whole number, not "two"'],
  [['--nope'], `Unknown option '--nope'\n\n${HELP}`],
  [['nope'], "Unexpected argument 'nope'"],
  [['--slow=yes'], "Option '--slow' does not take an argument"],
])('%j is refused with a line', (given, mistake) => {
  expect(read(...given)).toEqual({ mistake: expect.stringContaining(mistake) });
});

test('help lists what people type', () => {
  expect(read('--help')).toEqual({ help: HELP });
});
