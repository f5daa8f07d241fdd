import * as v from 'valibot';
import { passOn, type Assembly } from '../assembly.ts';
import type { OnDelta } from '../../core/model/model.ts';

/** The parts that are read of any chunk: https://docs.ollama.com/api/streaming */
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

/** Assembles the parts of Ollama's chat API: the last one holds the counts, and no text. */
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
      for (const call of tool_calls) calls.push(call);
      isWhole ||= done || others.error !== undefined;
      if (isWhole) last = others;
      passOn({ text, thinking }, onDelta);
    },
    isWhole: () => isWhole,
    answer: () => ({ ...last, message: { content, tool_calls: calls } }),
  };
}
