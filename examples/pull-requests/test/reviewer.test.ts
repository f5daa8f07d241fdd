import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, openTestCadre, type Script } from 'cadre/testing';
import { expect, test } from 'vitest';
import { commentOf } from '../tools/comment.ts';

const folder = join(import.meta.dirname, '..');
const DIFF = readFileSync(join(folder, 'evals/pay.diff'), 'utf8');

const finding = { file: 'pay.ts', line: 1, severity: 'high', text: 'pays an amount of 0' };
const FAULTY = { summary: 'One fault.', findings: [finding] };
const FINE = { summary: 'Nothing to say.', findings: [] };

const models: Record<string, Script> = {
  reviewer: ({ prompt, turn, results }) => {
    if (!prompt.includes('amount')) return JSON.stringify(FINE);
    return turn === 1
      ? call('call_agent', { agent: 'doubter', task: 'pay.ts:1 pays an amount of 0' })
      : JSON.stringify(results[0]?.startsWith('stands') ? FAULTY : FINE);
  },
  doubter: ({ prompt }) =>
    prompt.includes('amount >= 0') ? 'stands\nnothing checks it' : 'refuted\nno diff',
};

test('a finding stands if the doubter, who reads the same diff, does not refute it', async () => {
  const cadre = await openTestCadre({ folder, models });
  const { output } = await cadre.run('reviewer', { input: DIFF });
  expect(output).toEqual(FAULTY);
  await cadre.close();
  const refuting = await openTestCadre({ folder, models: { ...models, doubter: ['refuted\npay.ts:9'] } });
  expect((await refuting.run('reviewer', { input: DIFF })).output).toEqual(FINE);
  await refuting.close();
});

test('a comment has the findings, and nothing in them that does something', () => {
  expect(commentOf(FINE)).toBe('Nothing to say.\n');
  expect(commentOf(FAULTY)).toBe('One fault.\n\n- **high**, pay.ts, line 1: pays an amount of 0\n');
  const text = '@all <img src=x>\n# ![a](https://a.example)';
  expect(commentOf({ summary: text, findings: [] })).toBe(
    '@\u200Ball \\<img src=x\\> \\# \\!\\[a\\]\\(https://\u200Ba.example\\)\n',
  );
});

test('reviewer passes its evaluation with models that do what is expected', async () => {
  const cadre = await openTestCadre({ folder, models });
  const { cases } = await cadre.evaluate('evals/reviewer.toml');
  expect(cases.filter(({ passed }) => passed < 1)).toEqual([]);
  await cadre.close();
});
