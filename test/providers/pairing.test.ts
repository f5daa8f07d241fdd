import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toRequest as toAnthropic } from '../../src/providers/anthropic/to-request.ts';
import { toRequest as toBedrock } from '../../src/providers/bedrock/to-request.ts';
import type { Message, ToolCall, ToolResult } from '../../src/core/records/message.ts';
import { API_RULES, breaches } from './api-rules.ts';
import { ask } from './requests.ts';

/** Few ids, so that answers share them; odd ones, as other providers write them. */
const ids = fc.constantFrom(
  'a',
  'b',
  'call_0',
  'ollama_0',
  'functions.f:0',
  'é',
  '',
  'a_2',
  'D681PevKs',
  `chatcmpl-tool-${'0'.repeat(32)}`,
  'x'.repeat(70),
);

/** Of tools, and ones that models have made up. */
const names = fc.constantFrom('f', 'g', 'multi_tool_use.parallel', '', 'y'.repeat(70));

const calls = fc.uniqueArray(
  fc.record({
    id: ids,
    name: names,
    arguments: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }),
  }),
  { selector: (call) => call.id, maxLength: 5 },
);

const said = (text: string) => ({ role: 'user' as const, text });

/**
 * An answer, its results in any order, some of them lost, blank, or for no call at all, and then mail and what a person
 * says, which there always is after an answer without calls.
 */
const answer = fc.tuple(fc.constantFrom('', ' ', 'text'), calls).chain(([text, made]) =>
  fc
    .record({
      results: fc.shuffledSubarray(made, { minLength: 0 }).map((answered) => answered.map(resultOf)),
      strays: fc.array(ids.map(strayResult), { maxLength: 1 }),
      words: fc.subarray(['You have mail.', 'Hurry.'], { minLength: made.length === 0 ? 1 : 0 }),
    })
    .map(({ results, strays, words }): Message[] => [
      { role: 'assistant', text, calls: made },
      ...(made.length === 0 ? [] : [{ role: 'tool' as const, results: [...results, ...strays] }]),
      ...words.map(said),
    ]),
);

const conversations = fc
  .array(answer, { maxLength: 6 })
  .map((answers): Message[] => [said('Begin.'), ...answers.flat()]);

function resultOf({ id, name, arguments: given }: ToolCall): ToolResult {
  const isBlank = Object.keys(given).length === 0;
  return { callId: id, name, text: isBlank ? ' ' : JSON.stringify([id, name, given]), isError: false };
}

function strayResult(callId: string): ToolResult {
  return { callId, name: 'stray', text: 'stray', isError: false };
}

/** The expected result of each call: its own, or the words for a lost or a blank one. */
function expectedResults(messages: Message[]): string[] {
  return messages.flatMap((message, index) => {
    if (message.role !== 'assistant') return [];
    const next = messages[index + 1];
    const results = next?.role === 'tool' ? next.results : [];
    return message.calls.map(({ id }) => {
      const result = results.find(({ callId }) => callId === id);
      return result === undefined ? 'Error: this call has no result' : result.text.trim() || '(empty)';
    });
  });
}

/** All that users have said, in order. */
function expectedWords(messages: Message[]): string {
  return messages.flatMap((message) => (message.role === 'user' ? [message.text] : [])).join('\n\n');
}

describe.each(Object.entries(API_RULES))('for any conversation, a request to %s', (_, rules) => {
  it('has every call answered once, directly after it, and nothing else that would be refused', () => {
    fc.assert(
      fc.property(conversations, (messages) => {
        expect(breaches(rules, rules.toWire(messages).parts)).toEqual([]);
      }),
    );
  });

  it('says all that there is: each result for its call, in call order, then what users say', () => {
    fc.assert(
      fc.property(conversations, (messages) => {
        const { parts } = rules.toWire(messages);
        const results = parts.flatMap((part) => (part.letter === 'r' ? [part.text] : []));
        const expected = expectedResults(messages);
        // A strict server has words at the end of results.
        const beginnings = results.map((text, index) => text.slice(0, expected[index]?.length));
        const ends = parts.flatMap((part) => {
          if (part.letter === 'u') return [part.text];
          return part.letter === 'r' ? [part.text.slice(expected.shift()?.length)] : [];
        });
        expect(beginnings).toEqual(expectedResults(messages));
        expect(
          ends
            .map((end) => end.trim())
            .filter(Boolean)
            .join('\n\n'),
        ).toBe(expectedWords(messages));
      }),
    );
  });

  it('begins with the very bytes of the request before, the last message of that aside', () => {
    fc.assert(
      fc.property(conversations, (messages) => {
        const answers = messages.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
        const requests = [...answers, messages.length].map(
          (end) => rules.toWire(messages.slice(0, end)).sent,
        );
        requests.slice(1).forEach((request, index) => {
          const before = requests[index]?.slice(0, -1) ?? [];
          expect(bytes(request.slice(0, before.length))).toBe(bytes(before));
        });
      }),
    );
  });
});

/** As JSON, without cache markers, which move on from turn to turn. */
function bytes(sent: unknown[]): string {
  return JSON.stringify(sent, (key, value: unknown) => (key === 'cache_control' ? undefined : value));
}

it('Bedrock is told of tools exactly where some are called', () => {
  fc.assert(
    fc.property(conversations, (messages) => {
      const { toolConfig } = toBedrock(ask('', { messages }));
      const isCalled = messages.some((message) => message.role === 'assistant' && message.calls.length > 0);
      expect(toolConfig !== undefined).toBe(isCalled);
    }),
  );
});

it('a call whose result was lost is one that failed, and its neighbour is not', () => {
  const made = ['a', 'b'].map((id) => ({ id, name: 'f', arguments: {} }));
  const results = [{ callId: 'b', name: 'f', text: 'so', isError: false }];
  const messages: Message[] = [
    said('Begin.'),
    { role: 'assistant', text: '', calls: made },
    { role: 'tool', results },
  ];
  expect(toAnthropic(ask('', { messages })).messages.at(-1)).toEqual({
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'a', content: 'Error: this call has no result', is_error: true },
      { type: 'tool_result', tool_use_id: 'b', content: 'so', is_error: false },
    ],
  });
});
