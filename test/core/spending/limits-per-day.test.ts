import { expect, test } from 'vitest';
import { choicesOf } from '../../../simulate/choices.ts';
import { openAccount } from '../../../simulate/world/account.ts';
import { ISSUER } from '../../../simulate/world/function-ports.ts';
import type { DayShard } from '../../../src/core/records/day-shard.ts';
import type { DayLimit } from '../../../src/core/records/day-limits.ts';
import type { LimitsPerDay } from '../../../src/core/records/limits-per-day.ts';
import { newRunId } from '../../../src/core/records/run-id.ts';
import { createPrices } from '../../../src/core/spending/prices.ts';
import { createMemoryTable } from '../../../src/places/store/memory-table.ts';

const DAY_MS = 86_400_000;
const PRICE = { input: 1, output: 4, cacheRead: 1, cacheWrite: 1 };
/** What a run costs that reads 5 tokens and writes 500, as each does that may. */
const COST = 2_005_000;

async function openLimited(perDay: LimitsPerDay, file = '') {
  const told: DayLimit[] = [];
  const account = await openAccount({
    table: createMemoryTable(),
    choices: choicesOf(1),
    agents: { top: `timeout = 864000\nparams.max_tokens = 1000\n${file}` },
    prices: createPrices(new Map([['m/top', PRICE]])),
    limits: { perDay, nearlyReached: (limit) => void told.push(limit) },
  });
  let started = 0;
  async function run(
    owner?: string,
  ): Promise<{ status?: string | undefined; exceeded?: string | undefined }> {
    const id = newRunId('top', account.time.now() + ++started);
    const person = owner === undefined ? {} : { owner, issuer: ISSUER };
    void account.people.start(id, { agent: 'top', prompt: 'go', ...person });
    await account.settle();
    const [asked] = account.asked;
    const outputTokens = Math.min(500, asked?.request.maxTokens ?? 0);
    asked?.say({ text: 'done', usage: { inputTokens: 5, outputTokens } });
    await account.settle();
    const { status, exceeded } = (await account.bare.run(id)) ?? {};
    return { status, exceeded };
  }
  async function shards(day: string): Promise<DayShard[]> {
    const all: DayShard[] = [];
    for await (const { value } of (await account.bare.dayShards()).all(day)) all.push(value);
    return all;
  }
  return { account, run, shards, told };
}

test('a tree is counted by what it has spent once it has ended, and nothing is left of it but that', async () => {
  const { run, shards } = await openLimited({ nanoUsd: 1_000_000_000 });
  expect(await run()).toEqual({ status: 'succeeded', exceeded: undefined });
  expect(await shards('2030-01-01')).toEqual([{ settled: COST, given: {} }]);
});

test('runs are refused once too little is left for their call, until the next day, and people are told once before', async () => {
  const { account, run, told } = await openLimited({ nanoUsd: 20_000_000 });
  const ends = [];
  for (let runs = 0; runs < 12; runs++) ends.push(await run());
  // The last one gets a shorter answer.
  expect(ends.map(({ status }) => status)).toEqual([
    ...Array.from({ length: 10 }, () => 'succeeded'),
    'budget_exceeded',
    'budget_exceeded',
  ]);
  expect(ends.at(-1)?.exceeded).toMatch(
    /^limit per day reached: \$0\.0\d+ of usd_per_day = \$0\.0200 for all agents are spent today \(UTC\), or held by agents at work; the next call could cost up to \$0\.00\d+$/,
  );
  expect(told.map(({ key, of }) => ({ key, of }))).toEqual([{ key: 'usd_per_day', of: 'all agents' }]);
  await account.pass(DAY_MS);
  expect(await run()).toEqual({ status: 'succeeded', exceeded: undefined });
});

test('each owner has a limit of their own, and an agent one for all that starts with it', async () => {
  const { run } = await openLimited({ nanoUsdPerOwner: 2_200_000 }, '[limits]\nusd_per_day = 0.0062\n');
  const refusals = [];
  for (const owner of ['ann', 'ann', 'ann', 'bob', undefined, undefined]) {
    refusals.push((await run(owner)).exceeded?.replace(/^.*? for (.*?) are spent.*$/, '$1'));
  }
  const none = undefined;
  expect(refusals).toEqual([none, none, 'all agents for "ann"', none, none, 'agent "top"']);
});
