import { expect, test } from 'vitest';
import { promptTokensAtMost } from '../../../src/core/spending/estimate.ts';
import type { Tokenizer } from '../../../src/core/spending/tokenizer.ts';
import type { ModelRequest } from '../../../src/core/model/model.ts';
import type { Ledger } from '../../../src/core/records/ledger.ts';
import type { ToolCall, ToolResult } from '../../../src/core/records/message.ts';
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
