import { expect, test } from 'vitest';
import { newRunId } from '../../../src/core/records/run-id.ts';
import type { TokenUsage } from '../../../src/token-usage.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { aRun, aSubAgent, aTurn, keepRun } from '../../fixtures/records.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { typed } from '../../fixtures/typed.ts';

const MODEL = 'anthropic/claude-sonnet-4-5';
const TODAY = new Date().toISOString();

/** The prompts of a conversation that grows: each turn but the first finds the one before it in the cache. */
const PROMPTS = [10_000, 12_000, 14_000, 16_000, 18_000];
const asked: TokenUsage[] = PROMPTS.map((inputTokens, index) => {
  const cacheReadTokens = PROMPTS[index - 1] ?? 0;
  return { inputTokens, outputTokens: 100, cacheReadTokens, cacheWriteTokens: inputTokens - cacheReadTokens };
});
const batched: TokenUsage[] = PROMPTS.map((inputTokens) => ({
  inputTokens,
  outputTokens: 100,
  cacheWriteTokens: 0,
  service: 'batch',
}));
const once: TokenUsage[] = [{ inputTokens: 2_000, outputTokens: 400 }];

/** A folder with agents, one of which has run, with what its turns used. */
async function folderWith(turns: readonly TokenUsage[], params = 'service = "batch"') {
  const cwd = await tempFolder({
    'agents/top.toml': `name = "top"\nmodel = "${MODEL}"\nsub_agents = ["kid"]\n[params]\n${params}\n`,
    'agents/kid.toml': `name = "kid"\nmodel = "${MODEL}"\n`,
    'no-config/.keep': '',
  });
  const { runs, close } = await openLocalStore(cwd);
  const ended = { model: MODEL, startedAt: TODAY, endedAt: TODAY, status: 'succeeded' } as const;
  const top = aRun({ ...ended, id: newRunId('top', Date.now()) });
  const kid = aSubAgent(top, { ...ended, agent: 'kid' });
  for (const [run, usages] of [[top, turns] as const, [kid, once] as const]) {
    await keepRun(runs, run);
    for (const [index, usage] of usages.entries())
      await runs.saveTurn(run.id, aTurn({ number: index + 1, answer: { usage }, at: TODAY }));
  }
  await close();
  return cwd;
}

const batchesIn = (out: string) => out.split('\n').filter((line) => line.startsWith('  Batches'));

/** 18,000 tokens written to the cache, 52,000 read, 500 of answers; and 2,000 of a prompt with 400. */
const ALONE = (18_000 * 3.75 + 52_000 * 0.3 + 500 * 15 + 2_000 * 3 + 400 * 15) / 1e6;
const IN_BATCHES = (70_000 * 1.5 + 500 * 7.5 + 2_000 * 1.5 + 400 * 7.5) / 1e6;
const DEARER =
  '"top" is dearer in batches: 5 recorded turns of it come to $0.11 there, and to $0.0906 asked at once, with 74 per cent of the prompts from the cache';
const ADVICE = 'service = "standard" in the [params] of "top" has it asked at once';

test.each([
  ['at once', asked],
  ['in batches, where nothing was found in the cache', batched],
])('plan compares what runs come to that were asked %s', async (_, turns) => {
  const cwd = await folderWith(turns);
  const { out, err } = await typed(['plan', 'top'], cwd);
  expect(batchesIn(out)).toEqual([
    '  Batches     1,000 runs like the last one $103 asked at once (72% of the prompts from the cache), $115 in batches',
  ]);
  expect(err).toContain(`Warning: ${DEARER}; ${ADVICE}\n`);
  const { agents } = JSON.parse((await typed(['plan', 'top', '--json'], cwd)).out);
  expect(agents[0].batches).toEqual({
    recorded_runs: 1,
    recorded_turns: 6,
    cached_share: 52_000 / 72_000,
    usd_per_1000_runs: {
      asked_at_once: expect.closeTo(1000 * ALONE, 6),
      in_batches: expect.closeTo(1000 * IN_BATCHES, 6),
    },
  });
});

test('agents check warns of an agent that is to be asked in batches, and of no other', async () => {
  const check = async (cwd: string) => (await typed(['agents', 'check'], cwd)).err;
  expect(await check(await folderWith(asked))).toContain(`Warning: ${DEARER}; ${ADVICE}\n`);
  expect(await check(await folderWith(asked, ''))).not.toContain('batches');
  expect(await check(await folderWith(once))).not.toContain('batches');
});

test('costs says what agents that were asked in batches would have cost at once', async () => {
  const { err } = await typed(['costs'], await folderWith(batched));
  expect(err).toBe(`${DEARER}\n`);
  const cheap = await typed(
    ['costs'],
    await folderWith(once.map((usage) => ({ ...usage, service: 'batch' as const }))),
  );
  expect(cheap.err).toBe(
    '"top" is cheaper in batches: 1 recorded turn of it come to $0.006 there, and to $0.012 asked at once, with 0 per cent of the prompts from the cache\n',
  );
  expect((await typed(['costs'], await folderWith(asked))).err).toBe('');
});

test('an agent without runs is compared with nothing, and no folder is made for it', async () => {
  const cwd = await tempFolder({ 'agents/top.toml': `name = "top"\nmodel = "${MODEL}"\n` });
  expect(batchesIn((await typed(['plan'], cwd)).out)).toEqual([]);
});
