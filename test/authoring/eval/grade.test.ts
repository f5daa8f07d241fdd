import { expect, test } from 'vitest';
import * as v from 'valibot';
import { expectationSchema } from '../../../src/authoring/eval/expectation.ts';
import { gradeAll, type GradePorts } from '../../../src/authoring/eval/grade.ts';
import { runReport } from '../../../src/core/reports/run-report.ts';
import { AgentError } from '../../../src/errors.ts';
import { aRun } from '../../fixtures/records.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const run = aRun({ status: 'succeeded', endedAt: '2026-01-01T00:00:02.500Z' });
const call = (tool: string) => ({ agent: 'top', tool, arguments: { path: 'a' } });
const ports: GradePorts = {
  callFunction: () => expect.fail(),
  judge: () => expect.fail(),
};

/** What graders say of an answer after three calls, two turns, 2.5 seconds and $0.25. */
async function graded(
  written: readonly object[],
  {
    answer = 'the answer is 7',
    usd = 0.25,
    isElsewhere = false,
    other = {},
  }: { answer?: string; usd?: number | null; isElsewhere?: boolean; other?: Partial<GradePorts> } = {},
) {
  const report = runReport(run, answer, [run], undefined);
  const folder = await tempFolder({
    's.json': '{ "type": "object", "required": ["n"] }',
    'out.txt': 'volume 7',
  });
  const named = ['s.json', 'f.ts'].map((path) => [path, { path, real: `${folder}/${path}` }] as const);
  const grades = await gradeAll(
    {
      written: {
        name: 'a case',
        prompt: 'go',
        expect: written.map((one) => v.parse(expectationSchema, one)),
      },
      name: 'a case',
      attach: [],
      named: new Map(named),
    },
    {
      outcome: {
        run,
        report: { ...report, turns: 2, tree: { ...report.tree, usd } },
        answer,
        calls: [call('read_file'), call('read_file'), call('write_file')],
        seconds: 2.5,
        fault: undefined,
      },
      workspace: isElsewhere ? undefined : folder,
    },
    { ...ports, ...other },
  );
  return grades.map(({ grader: _grader, ...grade }) => grade);
}

const passed = { passed: true };
const failed = (reason: string) => ({ passed: false, reason });

test.each<[expectation: object, grade: object]>([
  [{ contains: 'is 7' }, passed],
  [{ contains: 'is 8' }, failed('the answer does not: the answer is 7')],
  [{ matches: '\\d$' }, passed],
  [{ matches: '^\\d' }, failed('the answer does not: the answer is 7')],
  [{ matches: '((([a-z ]+)+)+)+!' }, failed('the answer could not be looked through in 2s: the answer is 7')],
  [{ schema: 's.json' }, failed('the answer is no JSON: the answer is 7')],
  [{ schema: 'gone.json' }, failed('there is no such schema')],
  [{ file: 'out.txt' }, passed],
  [{ file: 'out.txt', contains: 'volume', matches: '7$' }, passed],
  [{ file: 'out.txt', contains: 'volume', matches: '^7' }, failed('it does not: volume 7')],
  [{ file: 'out.txt', contains: '8', matches: '7$' }, failed('it does not: volume 7')],
  [{ file: 'gone.txt' }, failed('there is no such file')],
  [{ calls: 'read_*' }, passed],
  [{ calls: 'read_*', at_least: 2, at_most: 2 }, passed],
  [{ calls: 'read_*', at_least: 3 }, failed('it was called 2 times')],
  [{ calls: 'write_file', at_least: 0, at_most: 0 }, failed('it was called 1 time')],
  [{ calls: 'grep' }, failed('it was not called')],
  [{ not_calls: 'grep' }, passed],
  [{ not_calls: 'write_*' }, failed('it called write_file with {"path":"a"}')],
  [{ turns_at_most: 2 }, passed],
  [{ turns_at_most: 1 }, failed('it took 2 turns')],
  [{ seconds_at_most: 2.5 }, passed],
  [{ seconds_at_most: 2.4 }, failed('it took 2.5 seconds')],
  [{ usd_at_most: 0.25 }, passed],
  [{ usd_at_most: 0.2 }, failed('it cost $0.25')],
  [{ function: 'gone.ts' }, failed('there is no such module')],
])('%j is graded', async (expectation, grade) => {
  expect(await graded([expectation])).toEqual([grade]);
});

test('an answer is shown on a line, as far as 200 characters of it', async () => {
  const shown = async (answer: string) => (await graded([{ contains: '!' }], { answer }))[0]?.reason;
  const long = 'é'.repeat(200);
  expect([await shown(' a\n b '), await shown(' '), await shown(long), await shown(`${long}x`)]).toEqual(
    ['a b', '(empty)', long, `${long}…`].map((text) => `the answer does not: ${text}`),
  );
});

test('JSON is held to a schema, and what is not known fails', async () => {
  expect(await graded([{ schema: 's.json' }], { answer: '{"n":1}' })).toEqual([passed]);
  expect(await graded([{ schema: 's.json' }], { answer: '{}' })).toEqual([failed('property "n" is missing')]);
  expect(await graded([{ usd_at_most: 9 }], { usd: null })).toEqual([
    failed('the price of its model is not known'),
  ]);
  expect(await graded([{ file: 'out.txt' }], { isElsewhere: true })).toEqual([
    failed('files are only there where the case was played on this machine'),
  ]);
});

test.each([
  [{ value: { pass: true } }, passed],
  [
    { value: { pass: false, score: 0.5, reason: 'too long' } },
    { passed: false, score: 0.5, reason: 'too long' },
  ],
  [{ value: 'yes' }, failed('it must return { pass, score?, reason? }, not "yes"')],
  [{ failed: 'it threw' }, failed('it threw')],
])('a function grades by what it returns: %j', async (result, grade) => {
  const given: unknown[] = [];
  const callFunction: GradePorts['callFunction'] = async (...all) => {
    given.push(all);
    return result;
  };
  expect(await graded([{ function: 'f.ts' }], { other: { callFunction } })).toEqual([grade]);
  expect(given).toMatchObject([
    [
      { path: 'f.ts' },
      {
        case: { name: 'a case', prompt: 'go' },
        answer: 'the answer is 7',
        run: {
          run_id: run.id,
          calls: [{ tool: 'read_file' }, { tool: 'read_file' }, { tool: 'write_file' }],
        },
        workspace: expect.any(String),
      },
    ],
  ]);
  expect(JSON.stringify(given)).not.toContain('expect');
});

test('a judge grades by its score, and one that fails says so', async () => {
  const judge = (score: number) => ({ judge: async (reason: string) => ({ score, reason, run: 'judge-1' }) });
  const expected = [{ judge: 'good', at_least: 4 }];
  const verdict = (score: number) => ({ passed: score >= 4, score, reason: 'good', run_id: 'judge-1' });
  for (const score of [3, 4, 5]) {
    expect(await graded(expected, { other: judge(score) })).toEqual([verdict(score)]);
  }
  const failing = (error: Error) => graded(expected, { other: { judge: () => Promise.reject(error) } });
  expect(await failing(new AgentError('it said nothing'))).toEqual([failed('it said nothing')]);
  await expect(failing(new TypeError('a fault'))).rejects.toThrow('a fault');
});
