import { describe, expect, test } from 'vitest';
import { createVerbose } from '../../../src/doors/cli/terminal/verbose.ts';
import type { ModelResponse } from '../../../src/core/records/message.ts';
import { call, openStage, use, type Asked } from '../../fixtures/stage.ts';
import { typed } from '../../fixtures/typed.ts';

const CUT = 'the answer was cut at its limit of tokens';
const REFUSED = 'the model refused to answer';

const cut = { text: 'The first half', stopReason: 'max_tokens', rawStopReason: 'length' } as const;
const refused = { text: '', stopReason: 'refusal', rawStopReason: 'content_filtered' } as const;

/** What the caller of a sub-agent that gives this answer reads, and what is told of the sub-agent. */
async function heard(answer: Partial<ModelResponse>) {
  const stage = await openStage(
    {
      top: ({ turn, results }: Asked) => (turn === 1 ? [call('kid', 'x')] : results.join()),
      kid: () => answer,
    },
    { top: 'sub_agents = ["kid"]\n' },
  );
  const lines: string[] = [];
  stage.onEvent((event) => {
    const line = event.type === 'run_closed' ? createVerbose(event.root)(event) : undefined;
    if (line !== undefined) lines.push(line.replace(/\d+ms/, 'Nms'));
  });
  const { out, tree } = await stage.run();
  return { out, lines, status: tree[1]?.status, asked: stage.asked.length };
}

describe("a sub-agent's answer", () => {
  test.each<[string, Partial<ModelResponse>, string, string]>([
    [
      'that was cut has a line that says so',
      cut,
      `The first half\n\n[${CUT}]`,
      `(14 chars returned): ${CUT}`,
    ],
    ['that was refused says so', refused, `[${REFUSED}]`, `(0 chars returned): ${REFUSED}`],
    ['without a word is an answer', { text: '', rawStopReason: 'end_turn' }, '', '(0 chars returned)'],
  ])('%s', async (_, answer, out, told) => {
    expect(await heard(answer)).toEqual({
      out,
      lines: [`[sub-agent] "kid" completed in Nms ${told}`],
      status: 'succeeded',
      asked: 3,
    });
  });
});

test('a refusal is told by run, --json, show and --answer, and is not asked again', async () => {
  const stage = await openStage({ top: () => refused }, { top: '[retry]\nmax_retries = 3\n' });
  const { code, out, err, run } = await stage.run();
  expect({ code, out, err, asked: stage.asked.length }).toEqual({
    code: 0,
    out: '',
    err: `${REFUSED}\n`,
    asked: 1,
  });
  expect(run).toMatchObject({
    status: 'succeeded',
    stopReason: 'content_filtered',
    incomplete: 'refusal',
    usage: { turns: 1, inputTokens: 10 },
  });
  const shown = await typed(['show', run.id], stage.cwd);
  expect(shown.out).toContain(`\n${run.id}: ${REFUSED}\n`);
  const { out: json } = await typed(['show', run.id, '--json'], stage.cwd);
  expect(JSON.parse(json)).toMatchObject({ incomplete: 'refusal', runs: [{ incomplete: 'refusal' }] });
  const answer = await typed(['show', run.id, '--answer'], stage.cwd);
  expect(answer).toEqual({ code: 0, out: '', err: `Warning: ${REFUSED}\n` });
});

test('an answer that spawn_agent gets cut says so, and is a normal end', async () => {
  const stage = await openStage(
    {
      top: ({ message, turn, results }) => {
        if (message !== 'go') return cut;
        return turn === 1 ? [use('spawn_agent', { task: 'x' })] : results.join();
      },
    },
    { top: 'tools = ["spawn_agent"]\n[params]\nmax_tokens = 5\n' },
  );
  const { out } = await stage.run();
  expect(out.replace(/\d+\.\ds/, 'S.Ss')).toBe(
    `Sub-agent result (0 tool calls, S.Ss):\n\nThe first half\n\n[${CUT}]`,
  );
});

test('the report of a fork says that its answer is not whole', async () => {
  const stage = await openStage(
    {
      top: ({ turn, told, results }) => {
        if (told.startsWith('[You are agent')) return cut;
        if (turn === 1) return [use('fork', { prompt: 'x' }), use('wait', { timeout: 30 })];
        return results.join('\n') || 'done';
      },
    },
    { top: 'tools = ["fork"]\n' },
  );
  const { out } = await stage.run();
  expect(out).toContain('\\"summary\\":\\"The first half\\",\\"incomplete\\":\\"max_tokens\\"');
});

test('an answer that must be JSON fails as refused, without being asked again', async () => {
  const schema = '[output.schema]\ntype = "object"\n';
  const stage = await openStage({ top: () => refused }, { top: schema });
  const { code, err } = await stage.run();
  expect({ code, err, asked: stage.asked.length }).toEqual({
    code: 1,
    err: `Error: ${REFUSED}\n`,
    asked: 1,
  });
});
