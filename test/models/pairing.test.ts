import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toRequest as toAnthropic } from '../../src/models/anthropic/to-request.ts';
import type { AnthropicToolUse, AnthropicUserBlock } from '../../src/models/anthropic/wire.ts';
import { toRequest as toBedrock } from '../../src/models/bedrock/to-request.ts';
import type { Message, ToolCall, ToolResult } from '../../src/runs/message.ts';
import { toRequest as toOllama } from '../../src/models/ollama/to-request.ts';
import { toRequest as toOpenAI } from '../../src/models/openai/chat/to-request.ts';
import { ask } from './requests.ts';

/** Few ids, so that answers share them; odd ones, as other providers write them. */
const ids = fc.constantFrom('a', 'b', 'call_0', 'ollama_0', 'functions.f:0', 'é', '', 'a_2');

const calls = fc.uniqueArray(
  fc.record({
    id: ids,
    name: fc.constantFrom('f', 'g'),
    arguments: fc.dictionary(fc.string(), fc.jsonValue()),
  }),
  { selector: (call) => call.id, maxLength: 5 },
);

/** An answer, and its results in any order; some of them lost, and some that answer no call. */
const answer = fc
  .tuple(fc.constantFrom('', ' ', 'text'), calls)
  .chain(([text, made]) =>
    fc
      .tuple(
        fc.shuffledSubarray(made, { minLength: 0 }),
        fc.array(ids, { maxLength: 1 }),
        fc.constantFrom('', 'user'),
      )
      .map(([answered, strays, interjection]): Message[] => [
        { role: 'assistant', text, calls: made },
        ...(made.length === 0
          ? []
          : [{ role: 'tool' as const, results: [...answered.map(resultOf), ...strays.map(strayResult)] }]),
        ...(interjection === '' && made.length > 0
          ? []
          : [{ role: 'user' as const, text: interjection || 'go on' }]),
      ]),
  );

const conversations = fc
  .array(answer, { maxLength: 6 })
  .map((answers): Message[] => [{ role: 'user', text: 'begin' }, ...answers.flat()]);

function resultOf({ id, name, arguments: given }: ToolCall): ToolResult {
  return { callId: id, name, text: JSON.stringify([id, name, given]), isError: false };
}

function strayResult(callId: string): ToolResult {
  return { callId, name: 'stray', text: 'stray', isError: false };
}

/** What each call must come to: its own result, or the words for a lost one. */
function expectedTexts(messages: Message[]): string[] {
  return messages.flatMap((message, index) => {
    if (message.role !== 'assistant') return [];
    const next = messages[index + 1];
    const results = next?.role === 'tool' ? next.results : [];
    return message.calls.map(
      ({ id }) => results.find(({ callId }) => callId === id)?.text ?? 'Error: this call has no result',
    );
  });
}

describe('whatever the conversation, every call has exactly one result directly after it', () => {
  it('for Anthropic: in one user message, first in it, in call order, with ids used once', () => {
    fc.assert(
      fc.property(conversations, (messages) => {
        const wire = toAnthropic(ask('', { messages })).messages;
        const texts = wire.flatMap((message, index) => {
          if (message.role === 'user') return [];
          const uses = message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
          const next = wire[index + 1]?.content ?? [];
          const blocks = typeof next === 'string' ? [] : next.slice(0, uses.length);
          const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [block] : []));
          expect(results.map((block) => block.tool_use_id)).toEqual(uses);
          return results.map(({ content }) => content);
        });
        expect(texts).toEqual(expectedTexts(messages));

        const blocks = wire.flatMap(({ content }): (AnthropicToolUse | AnthropicUserBlock)[] =>
          typeof content === 'string' ? [] : content,
        );
        const used = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
        expect(new Set(used).size).toBe(used.length);
        expect(used.filter((id) => !/^[a-zA-Z0-9_-]+$/.test(id))).toEqual([]);
        expect(blocks.filter(({ type }) => type === 'tool_result')).toHaveLength(used.length);
        // Roles take turns, and nothing is empty.
        expect(wire.filter(({ role }, index) => role === wire[index + 1]?.role)).toEqual([]);
        expect(wire.filter(({ content }) => content.length === 0)).toEqual([]);
        expect(blocks.filter((block) => block.type === 'text' && block.text.trim() === '')).toEqual([]);
      }),
    );
  });

  it('for Bedrock: in one user message, first in it, in call order, with ids used once', () => {
    fc.assert(
      fc.property(conversations, (messages) => {
        const { messages: wire = [], toolConfig } = toBedrock(ask('', { messages }));
        const texts = wire.flatMap(({ content = [] }, index) => {
          const uses = content.flatMap(({ toolUse }) => toolUse?.toolUseId ?? []);
          const next = wire[index + 1]?.content?.slice(0, uses.length) ?? [];
          const results = next.flatMap(({ toolResult }) => toolResult ?? []);
          expect(results.slice(0, uses.length).map(({ toolUseId }) => toolUseId)).toEqual(uses);
          return uses.map((_, use) => results[use]?.content?.[0]?.text);
        });
        expect(texts).toEqual(expectedTexts(messages));

        const blocks = wire.flatMap(({ content = [] }) => content);
        const used = blocks.flatMap(({ toolUse }) => toolUse?.toolUseId ?? []);
        expect(new Set(used).size).toBe(used.length);
        expect(used.filter((id) => !/^[a-zA-Z0-9_-]{1,64}$/.test(id))).toEqual([]);
        expect(blocks.filter(({ toolResult }) => toolResult)).toHaveLength(used.length);
        expect(toolConfig !== undefined).toBe(used.length > 0);
        expect(wire.filter(({ role }, index) => role === wire[index + 1]?.role)).toEqual([]);
        expect(wire.filter(({ content = [] }) => content.length === 0)).toEqual([]);
        expect(blocks.filter(({ text }) => text?.trim() === '')).toEqual([]);
      }),
    );
  });

  it('for OpenAI: one tool message each, in call order, with ids used once', () => {
    fc.assert(
      fc.property(conversations, (messages) => {
        const wire = toOpenAI(ask('', { messages }), '').messages;
        const used = wire.flatMap((message, index) => {
          const made = (message.role === 'assistant' && message.tool_calls) || [];
          const after = wire.slice(index + 1, index + 1 + made.length);
          expect(after.map((result) => result.role === 'tool' && result.tool_call_id)).toEqual(
            made.map(({ id }) => id),
          );
          return made.map(({ id }) => id);
        });
        const results = wire.filter(({ role }) => role === 'tool');
        expect(results.map(({ content }) => content)).toEqual(expectedTexts(messages));
        expect(new Set(used).size).toBe(used.length);
      }),
    );
  });

  it('for Ollama: one tool message each, in call order, with the name of its tool', () => {
    fc.assert(
      fc.property(conversations, (messages) => {
        const wire = toOllama(ask('', { messages })).messages;
        wire.forEach((message, index) => {
          const made = message.tool_calls ?? [];
          const after = wire.slice(index + 1, index + 1 + made.length);
          expect(after.map(({ tool_name }) => tool_name)).toEqual(made.map((call) => call.function.name));
        });
        const results = wire.filter(({ role }) => role === 'tool');
        expect(results.map(({ content }) => content)).toEqual(expectedTexts(messages));
      }),
    );
  });
});
