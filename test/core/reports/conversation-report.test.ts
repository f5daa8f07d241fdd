import { expect, test } from 'vitest';
import { conversationOf } from '../../../src/core/reports/conversation-report.ts';
import { seconds } from '../../../src/core/records/times.ts';
import { loadOwnTools } from '../../../src/tools/load-own-tools.ts';
import { createMemoryStore } from '../../../src/places/testing/memory-store.ts';
import { aRun, anOpened, aTurn } from '../../fixtures/records.ts';

const RUN = aRun();
const { id } = RUN;
const AT = '2026-01-01T00:00:01.000Z';

const plan = {
  kind: 'invoke',
  subject: 'a',
  writes: false,
  isRepeatable: true,
  seconds: seconds(60),
} as const;
const READ = { id: 'c1', name: 'read_file', arguments: { path: 'a.md', deep: { of: [1] } } };
const LIST = { id: 'c2', name: 'list_files', arguments: {} };

/** Two calls, of which the second has failed; then another one, that has ended already. */
async function conversation() {
  const store = createMemoryStore().runs;
  await store.insertRun(RUN);
  await store.saveRequest(id, { agent: 'top', prompt: 'go on', context: '\n\nmore' });
  await store.saveOpened(
    id,
    anOpened({
      system: 'You are terse.',
      message: 'a task instead\n\nmore',
      maxTokens: 9,
      reasoningEffort: 'low',
      skill: 'style',
      tools: [{ name: 'read_file', description: '', parameters: { type: 'object' } }],
      rules: { mode: 'ask', allow: [], deny: [], ask: [], allowedHosts: [] },
    }),
  );
  const first = aTurn({
    answer: { text: 'I look.', calls: [READ, LIST], usage: { inputTokens: 5, outputTokens: 2 } },
    plans: [plan, plan],
    at: AT,
    latencyMs: 7,
  });
  const results = [
    { callId: 'c1', name: 'read_file', text: 'its text', isError: false },
    { callId: 'c2', name: 'list_files', text: 'Error: no', isError: true },
  ];
  const second = aTurn({
    number: 2,
    received: [
      { role: 'tool', results },
      { role: 'user', text: 'and b' },
    ],
    answer: { text: '', calls: [{ ...READ, id: 'c3' }], sources: [{ url: 'https://x.example', title: 'X' }] },
    plans: [plan],
    at: AT,
  });
  await store.saveTurn(id, first);
  await store.saveTurn(id, second);
  const ended = { text: 'more text', isError: false, startedAt: AT, durationMs: 2.4 };
  await store.saveCallResult({ run: id, turn: 2, call: 1 }, ended);
  await store.saveDraft(id, {
    turn: 3,
    at: Date.parse(AT),
    messages: 3,
    pendingCalls: 0,
    text: 'So',
    thinking: 'Hm',
  });
  return store;
}

const turn = (number: number, more: object = {}) => ({
  number,
  finished_at: AT,
  duration_ms: 0,
  input_tokens: 1,
  output_tokens: 1,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  usd: null,
  ...more,
});
const SECOND = turn(2, { sources: [{ url: 'https://x.example', title: 'X' }] });
const SETTINGS = {
  model: 'm/x',
  max_tokens: 9,
  reasoning_effort: 'low',
  tools: ['read_file'],
  mode: 'ask',
  skill: 'style',
};
const WRITING = { turn: 3, text: 'So', thinking: 'Hm' };

test('a conversation is all that was said, with what tools made of it', async () => {
  const asked = { call_id: 'c1', name: 'read_file', text: 'its text', is_error: false, duration_ms: 0 };
  const failed = { call_id: 'c2', name: 'list_files', text: 'Error: no', is_error: true, duration_ms: 0 };
  expect(await conversationOf(id, await conversation(), loadOwnTools)).toEqual({
    system: 'You are terse.',
    settings: SETTINGS,
    turns: 2,
    input_characters: 'a task instead\n\nmore'.length - 'go on'.length,
    writing: WRITING,
    messages: [
      { role: 'user', text: 'a task instead\n\nmore' },
      {
        role: 'assistant',
        text: 'I look.',
        calls: [READ, LIST],
        turn: turn(1, { duration_ms: 7, input_tokens: 5, output_tokens: 2 }),
      },
      { role: 'tool', results: [asked, failed] },
      { role: 'user', text: 'and b' },
      { role: 'assistant', text: '', calls: [{ ...READ, id: 'c3' }], turn: SECOND },
      {
        role: 'tool',
        results: [{ call_id: 'c3', name: 'read_file', text: 'more text', is_error: false, duration_ms: 2 }],
      },
    ],
  });
});

test('a part of it is the turns that are wanted, with texts that are cut', async () => {
  const store = await conversation();
  const cut = { maxCharacters: 4, maxCallCharacters: 3 };
  expect(await conversationOf(id, store, loadOwnTools, { fromTurn: 2, ...cut })).toEqual({
    system: 'You ',
    system_characters: 14,
    settings: SETTINGS,
    turns: 2,
    writing: WRITING,
    messages: [
      { role: 'user', text: 'and ', characters: 5 },
      {
        role: 'assistant',
        text: '',
        calls: [
          {
            id: 'c3',
            name: 'read_file',
            arguments: { path: 'a.m', deep: '{"o' },
            characters: JSON.stringify(READ.arguments).length,
          },
        ],
        turn: SECOND,
      },
      {
        role: 'tool',
        results: [
          { call_id: 'c3', name: 'read_file', text: 'mor', characters: 9, is_error: false, duration_ms: 2 },
        ],
      },
    ],
  });
  const { messages, input_characters } = await conversationOf(id, store, loadOwnTools, {
    toTurn: 1,
    maxCallCharacters: 4,
  });
  expect([input_characters, messages.map(({ role }) => role)]).toEqual([15, ['user', 'assistant', 'tool']]);
  expect(messages[1]).toMatchObject({
    calls: [{ ...READ, arguments: { path: 'a.md', deep: '{"of' } }, LIST],
  });
});

test('a conversation that is not opened is empty', async () => {
  const store = createMemoryStore().runs;
  expect(await conversationOf(id, store, loadOwnTools)).toEqual({ system: '', turns: 0, messages: [] });
});
