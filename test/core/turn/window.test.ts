import { describe, expect, test } from 'vitest';
import type { Message } from '../../../src/core/records/message.ts';
import { makeRoom, type Refused } from '../../../src/core/turn/make-room.ts';
import { isHopeless } from '../../../src/core/turn/too-long.ts';
import {
  fixedBytes,
  mayCompact,
  promptLimit,
  promptTokens,
  toolBytes,
  windowFor,
} from '../../../src/core/turn/window.ts';
import { ModelError } from '../../../src/errors.ts';
import { anOpened, aTurn } from '../../fixtures/records.ts';

const user = (length: number): Message => ({ role: 'user', text: 'u'.repeat(length) });
const tool = { name: 'a', description: '', parameters: { type: 'object' as const } };
const TOOLS = JSON.stringify([tool]).length;

describe('the window of a model', () => {
  test.each([
    ['what its name says', { model: 'openai/gpt-4o' }, undefined, undefined, 128_000],
    [
      'what its agent says',
      { model: 'openai/gpt-4o', context: { compact: true, window: 9 } },
      undefined,
      undefined,
      9,
    ],
    ['not known', {}, undefined, undefined, Infinity],
    ['what it has refused before', {}, { results: 0, window: 8 }, undefined, 8],
    ['what it refuses now', { context: { compact: true, window: 9 } }, { results: 0, window: 8 }, 7, 7],
    [
      'never more than it refused',
      { context: { compact: true, window: 9 } },
      { results: 0, window: 10 },
      11,
      9,
    ],
  ])('is %s', (_, opened, before, refused, window) => {
    expect(windowFor(anOpened(opened), before, refused)).toBe(window);
  });

  test('has room for an answer, and for estimates that are too low', () => {
    expect([
      promptLimit(1000, 0),
      promptLimit(1000, 200),
      promptLimit(1000, 300),
      promptLimit(1000, 900),
    ]).toEqual([800, 800, 700, 500]);
    expect([anOpened(), anOpened({ context: { compact: false } })].map(mayCompact)).toEqual([true, false]);
  });

  test('is filled by the system prompt and tools, if there are any', () => {
    expect([toolBytes([]), toolBytes([tool]), fixedBytes(anOpened())]).toEqual([0, TOOLS, 0]);
    expect(fixedBytes(anOpened({ system: 'é', tools: [tool] }))).toBe(2 + TOOLS);
  });

  test('is filled by what was counted before, and an estimate of the rest', () => {
    const opened = anOpened({ system: 's'.repeat(400), tools: [tool] });
    const turn = (inputTokens: number) => aTurn({ answer: { usage: { inputTokens, outputTokens: 5 } } });
    const of = (inputTokens: number | undefined) =>
      promptTokens(
        opened,
        [user(600), user(600)],
        [user(40)],
        inputTokens === undefined ? undefined : turn(inputTokens),
        undefined,
      );
    expect([of(undefined), of(1000), of(1)]).toEqual([(400 + TOOLS + 1200) / 4, 1015, 200]);
  });

  test('is too small for a beginning that no tokenizer makes short', () => {
    const opened = anOpened({ system: 's'.repeat(540 - TOOLS), tools: [tool] });
    expect([isHopeless(opened, [user(60)], 100), isHopeless(opened, [user(61)], 100)]).toEqual([false, true]);
  });
});

describe('room for a prompt', () => {
  const opened = anOpened({ model: 'm/x', system: 's'.repeat(1_500), tools: [tool] });

  /** What is sent of a conversation of so many messages, before which nothing was left out. */
  const made = (
    {
      messages,
      window = 10_000,
      limit = 8_000,
      tokens = 1_000,
    }: { messages: Message[]; window?: number; limit?: number; tokens?: number },
    refused?: Refused,
    turns = [aTurn()],
  ) =>
    makeRoom<{ stopped: true }>(
      {
        opened,
        first: { messages, own: 0 },
        turns,
        received: [],
        before: undefined,
        tokens,
        window,
        limit,
        showing: undefined,
      },
      refused,
      () => Promise.resolve({ stopped: true }),
    );

  const refusal = (of: string, more: string) =>
    new ModelError(
      'bad_request',
      `the prompt does not fit the window of m/x${of}: it has about ${Math.round((1_500 + TOOLS + 60_000) / 4)} tokens (system prompt 1.5 KB, tools ${(TOOLS / 1000).toFixed(1)} KB, first message 60.0 KB); give the agent fewer files or less input, or a model with a larger window${more}`,
    );

  test('is there where nothing has to be left out', async () => {
    const messages = [user(100)];
    expect(await made({ messages })).toMatchObject({
      messages: [user(100), { role: 'assistant' }],
      received: [],
      tokens: 1_000,
    });
    expect(await made({ messages })).not.toHaveProperty('compaction');
  });

  test('is not there for a beginning that is too long, nor in a window in which nothing can be done', async () => {
    const messages = [user(60_000)];
    const known = refusal(', 9999 tokens', ', or set [context] window if it is larger');
    await expect(made({ messages, window: 9_999 }, undefined, [])).rejects.toThrow(known);
    const said = { tokens: 20_000, reason: 'too long' };
    await expect(made({ messages, window: 9_999 }, said, [])).rejects.toThrow(refusal('', ' (too long)'));
    await expect(made({ messages, window: 999 })).rejects.toThrow(
      refusal(', 999 tokens', ', or set [context] window if it is larger'),
    );
  });

  test('is not there where hardly less would be sent than was refused', async () => {
    const messages = [user(60_000)];
    const refused = { tokens: 1_020, reason: 'too long' };
    await expect(made({ messages, tokens: 1_000 }, refused)).rejects.toThrow(refusal('', ' (too long)'));
    expect(await made({ messages, tokens: 1_000 }, { ...refused, tokens: 1_021 })).toMatchObject({
      tokens: 1_000,
      compaction: { results: 0, window: 10_000 },
    });
  });

  test('is made by a summary, without which nothing is sent', async () => {
    const messages = [user(100), ...Array.from({ length: 20 }, () => user(4_000))];
    expect(await made({ messages, tokens: 20_000, limit: 8_000 })).toEqual({ stopped: true });
  });
});
