import * as v from 'valibot';
import { expect, test } from 'vitest';
import { EvalReport } from '../../../src/core/reports/eval-report.ts';
import { evaluateFiles } from '../../../src/doors/cli/commands/eval.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const FUNCTION = `[[functions]]
name = "refund_order"
description = "Refunds"
file = "tools/refund.ts"
parameters = { type = "object" }
`;

function project(grader: string, standIn = ''): Promise<string> {
  const turns = [{ calls: [{ name: 'refund_order', arguments: { order: 'o-1' } }] }, { text: '{{results}}' }];
  return tempFolder({
    'agents/desk.toml': `name = "desk"\nmodel = "scripted/desk.json"\n${FUNCTION}`,
    'desk.json': JSON.stringify({ conversations: [{ turns }] }),
    'tools/refund.ts': 'export const handler = () => "really refunded";\n',
    'evals/e.toml': `agent = "desk"\nrepeat = 2\n${standIn}[[cases]]\nname = "a"\nprompt = "b"\nfiles = "shop"\nx = { wanted = "o-1" }\nexpect = [{ function = "grade.ts" }]\n`,
    'evals/shop/shop.json': '{"refunded": []}',
    'evals/shop.ts': `import { readFile, writeFile } from 'node:fs/promises';
export async function refund_order({ order }: { order: string }, { workspace }: { workspace: string }) {
  const path = workspace + '/shop.json';
  const shop = JSON.parse(await readFile(path, 'utf8'));
  shop.refunded.push(order);
  await writeFile(path, JSON.stringify(shop));
  return 'refunded ' + order;
}
`,
    'evals/grade.ts': grader,
  });
}

async function evaluated(cwd: string, env: Record<string, string> = {}) {
  const io = recordedIo(cwd, { env });
  const code = await evaluateFiles(['evals/e.toml'], { json: true }, io);
  return { code, report: v.parse(EvalReport, JSON.parse(io.out)) };
}

test('functions that act are stood in for, and a function grades what they leave', async () => {
  const cwd = await project(
    `import { readFileSync } from 'node:fs';
let calls = 0;
export function handler({ case: tested, answer, run, workspace }) {
  const { refunded } = JSON.parse(readFileSync(workspace + '/shop.json', 'utf8'));
  const key = process.env['OPENAI_API_KEY'] ?? 'no key';
  return { pass: refunded.join() === tested.x.wanted, score: ++calls, reason: [answer, run.calls[0].result, run.status, key].join(', ') };
}
`,
    'functions = "shop.ts"\n',
  );
  const first = await evaluated(cwd, { OPENAI_API_KEY: 'secret' });
  expect(first.code).toBe(0);
  const grades = ({ report }: typeof first) =>
    report.cases.flatMap(({ tries }) => tries.flatMap((each) => each.grades));
  // One process grades all.
  expect(grades(first).toSorted((a, b) => (a.score ?? 0) - (b.score ?? 0))).toEqual(
    [1, 2].map((score) => ({
      grader: 'function grade.ts',
      passed: true,
      score,
      reason: 'refunded o-1, refunded o-1, succeeded, no key',
    })),
  );
  // The files that a cached run has left are graded again.
  const again = await evaluated(cwd);
  expect(again.report.variants[0]?.cached).toBe(2);
  expect(grades(again).map(({ passed }) => passed)).toEqual([true, true]);
});

test.each([
  ['export const handler = () => { throw new TypeError("no such order"); };', 'TypeError: no such order'],
  ['export const handler = () => "yes";', 'it must return { pass, score?, reason? }, not "yes"'],
  ['export const grade = () => {};', 'TypeError: the module exports no function "handler"'],
  ['export const handler = () => process.exit(3);', 'the process of module evals/grade.ts has ended'],
])('a function that cannot grade fails the case with its fault: %s', async (grader, reason) => {
  const { code, report } = await evaluated(await project(grader));
  expect(code).toBe(1);
  expect(report.cases[0]?.tries[0]).toMatchObject({
    answer: 'really refunded',
    grades: [{ passed: false, reason }],
  });
});

test('a broken module ends the evaluation with its place, and an untrusted one is never started', async () => {
  const broken = await project('export const handler = (;');
  await expect(evaluated(broken)).rejects.toThrow(/^evals\/grade\.ts:1:25: /);
  await expect(evaluated(broken, { CADRE_TRUST: '' })).rejects.toThrow(
    /need your trust to start programs \(function "grade\.ts"\)/,
  );
});
