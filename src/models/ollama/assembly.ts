import * as v from 'valibot';
import type { Assembly } from '../assembly.ts';
import type { OnDelta } from '../model.ts';

/** What is read of any part: https://docs.ollama.com/api/streaming */
const part = v.looseObject({
  message: v.nullish(
    v.object({
      content: v.nullish(v.string(), ''),
      thinking: v.nullish(v.string(), ''),
      tool_calls: v.nullish(v.array(v.unknown()), []),
    }),
    {},
  ),
  done: v.optional(v.boolean(), false),
  error: v.optional(v.unknown()),
});

/** Puts the parts of Ollama's chat API together: the last one holds the counts, and no text. */
export function createAssembly(onDelta?: OnDelta): Assembly {
  let content = '';
  const calls: unknown[] = [];
  let last: object = {};
  let isWhole = false;
  return {
    add(value) {
      const { message, done, ...others } = v.parse(part, value);
      const { content: text, thinking, tool_calls } = message;
      content += text;
      calls.push(...tool_calls);
      isWhole ||= done || others.error !== undefined;
      if (isWhole) last = others;
      if (text !== '') onDelta?.({ type: 'text', text });
      if (thinking !== '') onDelta?.({ type: 'thinking', text: thinking });
      if (text === '' && thinking === '') onDelta?.({ type: 'alive' });
    },
    isWhole: () => isWhole,
    answer: () => ({ ...last, message: { content, tool_calls: calls } }),
  };
}
