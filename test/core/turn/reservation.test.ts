import { expect, test } from 'vitest';
import { promptTokensAtMost } from '../../../src/core/spending/estimate.ts';
import type { Tokenizer } from '../../../src/core/spending/tokenizer.ts';
import type { ModelRequest } from '../../../src/core/model/model.ts';
import type { Ledger } from '../../../src/core/records/ledger.ts';
import type { ToolCall, ToolResult } from '../../../src/core/records/message.ts';
import { NOTHING } from '../../../src/core/records/amounts.ts';
import { openLedger } from '../../../src/core/records/ledger.ts';
import type { RunStore } from '../../../src/core/records/ports.ts';
import type { Run } from '../../../src/core/records/run.ts';
import { createPrices } from '../../../src/core/spending/prices.ts';
import { reserveTurn } from '../../../src/core/spending/reserve.ts';
import { createDocuments } from '../../../src/places/store/documents.ts';
import { createMemoryTable, NO_BLOBS } from '../../../src/places/store/memory-table.ts';
import { createRunStore } from '../../../src/places/store/runs.ts';
import { anOpened, aRun, aSubAgent, keepRun } from '../../fixtures/records.ts';
import { openStage, stageConfig } from '../../fixtures/stage.ts';

/** Every digit is a token. */
const digits: Tokenizer = {
  perFragment: 1,
  digitsPerToken: 1,
  mostBytes: Infinity,
  around: { conversation: 1_000, tools: 10_000 },
};
const results: ToolResult[] = [
  { callId: '1', name: '22', text: '333', isError: false },
  { callId: '4444', name: '55555', text: '666666', isError: true },
];
const request: ModelRequest = {
  model: 'x',
  system: '0'.repeat(40),
  messages: [
    { role: 'user', text: '1'.repeat(50) },
    { role: 'assistant', text: '2'.repeat(60), calls: [] },
    { role: 'tool', results },
  ],
  tools: [],
  maxTokens: 0,
};
/** Each text, and 8 tokens around it. */
const OF_RESULTS = 1 + 2 + 3 + 4 + 5 + 6 + 6 * 8;

test('the estimate of a prompt counts every text that is sent with the results of calls', () => {
  expect(promptTokensAtMost(request, digits, undefined)).toBe(1_000 + 40 + 50 + 60 + 3 * 8 + OF_RESULTS);
});

test("the provider's count for the turn before is not estimated again", () => {
  expect(promptTokensAtMost(request, digits, { tokens: 700, messages: 2 })).toBe(700 + OF_RESULTS);
});

test('a third turn reserves what the second came to, the results of its calls and its answer', async () => {
  const price = '[prices."stage/top"]\ninput = 2\noutput = 3\ncache_read = 2\ncache_write = 2\n';
  let run = '';
  let reserving: Ledger | undefined;
  const calls: ToolCall[] = ['123456', '123457'].map((id) => ({
    id,
    name: 'call_agent',
    arguments: { agent: 'kid', task: 'x' },
  }));
  const stage = await openStage(
    {
      async top({ turn }) {
        const made = calls.slice(turn - 1, turn);
        if (made.length > 0) return { calls: made, usage: { inputTokens: 200 * turn, outputTokens: 20 } };
        reserving = await stage.pipeline.store.ledger(run);
        return 'done';
      },
      kid: () => '1234567890',
    },
    { top: 'sub_agents = ["kid"]\nparams.max_tokens = 50\n[budget]\nmax_tokens = 100000\nmax_usd = 1\n' },
    stageConfig(price + price.replace('top', 'kid')),
  );
  stage.onEvent((event) => {
    if (event.type === 'run_opened' && event.agent === 'top') run = event.run;
  });
  expect(await stage.run()).toMatchObject({ out: 'done', err: '' });
  // Digits are a token each, "call_agent" is 3 fragments of up to 1.75.
  const prompt = 400 + 20 + (6 + 8) + (6 + 8) + (10 + 8);
  expect(Object.entries(reserving?.reserved ?? {})).toEqual([
    [
      expect.stringMatching(/^[0-9a-f-]{36}$/),
      {
        turn: 3,
        amounts: {
          tokens: prompt + 50,
          nanoUsd: prompt * 2_000 + 50 * 3_000,
          turns: 0,
          toolCalls: 0,
          runs: 0,
        },
      },
    ],
  ]);
});

const TOP = aRun();
const KID = aSubAgent(TOP);
const used = (tokens: number) => ({ used: { ...NOTHING, tokens } });
const reserved = (tokens: number, turn = 9, by = 'another') => ({
  reserved: { [by]: { turn, amounts: { ...NOTHING, tokens } } },
});

interface Situation extends Partial<Ledger> {
  /** Who asks; absent: the top of the tree. */
  run?: Run;
  others?: Run[];
  /** What of the ledger has changed since. */
  since?: Partial<Ledger>;
}

/**
 * Reserves for a second turn, with an answer of up to 300 tokens to a prompt of 146 by the estimate and 10 by the
 * provider's count, in a tree with 1,000 tokens.
 */
async function reserving({ run = TOP, others = [], since, ...ledger }: Situation) {
  const table = createMemoryTable();
  const store = createRunStore(table, createDocuments(table, NO_BLOBS));
  for (const each of new Set([TOP, run, ...others])) await keepRun(store, each);
  const seen: Ledger = { ...openLedger({ tokens: 1_000 }), settled: 1, ...ledger };
  await store.changeLedger(TOP.id, () => ({ ledger: { ...seen, ...since } }));
  const late: RunStore = { ...store, changeLedger: async (_, change) => change(seen) };
  let counts = 0;
  const made = await reserveTurn(
    {
      run,
      opened: anOpened({ budget: { tokens: 1_000 } }),
      ledger: run === TOP ? seen : openLedger({ tokens: 0 }),
      owner: 'own',
    },
    2,
    { ...request, system: '', messages: [{ role: 'user', text: 'go' }], maxTokens: 300 },
    [],
    { store: since === undefined ? store : late, prices: createPrices(), now: Date.now },
    async () => (counts += 1) * 10,
  );
  if ('exceeded' in made) return [made.exceeded.replace(/^budget exceeded: /, ''), made.isReserved];
  return [made.maxTokens, made.ledger?.reserved['own']?.amounts.tokens, { counts, isBegun: made.isBegun }];
}

const ALONE = { counts: 0, isBegun: false };
test.each<[string, Situation, unknown[]]>([
  ['is as long as is wanted', {}, [300, 446, ALONE]],
  ['is so, too, where it has reserved before', reserved(900, 2, 'own'), [300, 446, ALONE]],
  ['is told of another that makes it', reserved(100, 2), [300, 446, { counts: 0, isBegun: true }]],
  ['is as long as there is room for', used(700), [154, 300, ALONE]],
  ['is no shorter than its prompt, without a count', used(708), [146, 292, ALONE]],
  ['is shorter with a count', used(709), [281, 291, { counts: 1, isBegun: false }]],
  ['has a token at least', used(989), [1, 11, { counts: 1, isBegun: false }]],
])('the answer of a turn %s', async (_, situation, expected) => {
  expect(await reserving(situation)).toEqual(expected);
});

const held = { ...used(600), ...reserved(400) };
const HELD =
  'used 600 of 1000 tokens, 400 left; the next call could cost up to 310, and calls without an answer up to 400';
const leaf = aSubAgent(KID, { agent: 'leaf', path: 't1c10_t1c1' });
test.each<[string, Situation, unknown[]]>([
  [
    'all is spent',
    { ...used(990), others: [KID] },
    ['used 990 of 1000 tokens, 10 left; the next call could cost up to 310', false],
  ],
  ['nobody else is at work', held, [HELD, false]],
  ['those who were have come to rest', { ...held, others: [{ ...KID, status: 'idle' }] }, [HELD, false]],
  ['one at work may give something back', { ...held, others: [KID] }, [HELD, true]],
  [
    'only those above are at work',
    { ...held, run: leaf, others: [{ ...KID, path: 't1c10' }] },
    [HELD, false],
  ],
  ['one with nearly the same path is at work', { ...held, run: leaf, others: [KID] }, [HELD, true]],
  ['another makes the turn', { ...held, ...reserved(400, 2) }, [HELD, true]],
  [
    'as much is reserved as it needs',
    { ...used(734), ...reserved(266), others: [KID] },
    [
      'used 734 of 1000 tokens, 266 left; the next call could cost up to 310, and calls without an answer up to 266',
      true,
    ],
  ],
  [
    'less is reserved than it needs',
    { ...used(735), ...reserved(265), others: [KID] },
    [
      'used 735 of 1000 tokens, 265 left; the next call could cost up to 310, and calls without an answer up to 265',
      false,
    ],
  ],
  [
    'enough was released a moment ago',
    { ...held, since: { ...used(734), reserved: {} } },
    ['used 734 of 1000 tokens, 266 left; the next call could cost up to 310', true],
  ],
  [
    'too little was released a moment ago',
    { ...held, since: { ...used(735), reserved: {} }, others: [KID] },
    ['used 735 of 1000 tokens, 265 left; the next call could cost up to 310', false],
  ],
])('a turn is refused, and it says whether runs hold the rest, where %s', async (_, situation, expected) => {
  expect(await reserving(situation)).toEqual(expected);
});
