import * as v from 'valibot';
import type { Assembly } from '../../assembly.ts';
import type { OnDelta } from '../../../core/model/model.ts';

/** The parts that are read of any event: https://platform.openai.com/docs/api-reference/responses-streaming */
const event = v.object({
  type: v.string(),
  delta: v.optional(v.unknown()),
  output_index: v.optional(v.unknown()),
  summary_index: v.optional(v.unknown()),
  item: v.optional(v.unknown()),
  response: v.optional(v.record(v.string(), v.unknown())),
  error: v.optional(v.unknown()),
  message: v.optional(v.unknown()),
  code: v.optional(v.unknown()),
});

const TEXTS = new Map<string, 'text' | 'thinking'>([
  ['response.output_text.delta', 'text'],
  ['response.refusal.delta', 'text'],
  ['response.reasoning_summary_text.delta', 'thinking'],
  ['response.reasoning_text.delta', 'thinking'],
]);

const ENDS = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** Assembles the events of the Responses API: the last one holds the answer that the others led to. */
export function createAssembly(onDelta?: OnDelta): Assembly {
  const items: unknown[] = [];
  const paragraphs = new Map<string, string>();
  let whole: Record<string, unknown> | undefined;
  return {
    add(part) {
      const { type, delta, item, response = {}, error, message, code, ...at } = v.parse(event, part);
      const kind = TEXTS.get(type);
      if (kind !== undefined && typeof delta === 'string' && delta !== '') {
        const paragraph = JSON.stringify([at.output_index, at.summary_index]);
        const isNext = (paragraphs.get(kind) ?? paragraph) !== paragraph;
        paragraphs.set(kind, paragraph);
        onDelta?.({ type: kind, text: isNext ? `\n\n${delta}` : delta });
      } else onDelta?.({ type: 'alive' });
      if (type === 'response.output_item.done') items.push(item);
      if (type === 'error') whole = { error: error ?? { message, code } };
      if (ENDS.has(type)) whole = response;
    },
    isWhole: () => whole !== undefined,
    answer: () => (isEmpty(whole?.['output']) ? { ...whole, output: items } : whole),
  };
}

/** Some servers leave the items out of the last event. */
function isEmpty(output: unknown): boolean {
  return output === undefined || (Array.isArray(output) && output.length === 0);
}
