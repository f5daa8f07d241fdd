import * as v from 'valibot';
import type { Assembly } from '../../assembly.ts';
import type { OnDelta } from '../../../core/model/model.ts';
import { COMMENTARY } from './wire.ts';

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

const beginning = v.object({ type: v.string(), phase: v.nullish(v.string(), '') });

type Kind = 'text' | 'thinking';

const TEXTS = new Map<string, Kind>([
  ['response.output_text.delta', 'text'],
  ['response.refusal.delta', 'text'],
  ['response.reasoning_summary_text.delta', 'thinking'],
  ['response.reasoning_text.delta', 'thinking'],
]);

const ENDS = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** Assembles the events of the Responses API: the last one holds the answer that the others led to. */
export function createAssembly(onDelta?: OnDelta): Assembly {
  const items: unknown[] = [];
  const teller = createTeller(onDelta);
  let whole: Record<string, unknown> | undefined;
  return {
    add(part) {
      const { type, delta, item, response = {}, error, message, code, ...at } = v.parse(event, part);
      const kind = TEXTS.get(type);
      if (kind !== undefined && typeof delta === 'string' && delta !== '') {
        teller.tell(kind, delta, at.output_index, at.summary_index);
      } else onDelta?.({ type: 'alive' });
      if (type === 'response.output_item.added') teller.begin(item, at.output_index);
      if (type === 'response.output_item.done') items.push(item);
      if (type === 'error') whole = { error: error ?? { message, code } };
      if (ENDS.has(type)) {
        teller.end();
        whole = response;
      }
    },
    isWhole: () => whole !== undefined,
    answer: () => (isEmpty(whole?.['output']) ? { ...whole, output: items } : whole),
  };
}

/**
 * Tells what is written. Commentary is held until the next item shows what it is: beside a call it is the text of the
 * answer, and ahead of the final answer it is a thought.
 */
function createTeller(onDelta: OnDelta | undefined) {
  const paragraphs = new Map<Kind, string>();
  const commentary = new Set<unknown>();
  let held: { text: string; paragraph: string }[] = [];
  let hasFinal = false;

  const pass = (kind: Kind, text: string, paragraph: string) => {
    const isNext = (paragraphs.get(kind) ?? paragraph) !== paragraph;
    paragraphs.set(kind, paragraph);
    onDelta?.({ type: kind, text: isNext ? `\n\n${text}` : text });
  };
  const release = (kind: Kind) => {
    for (const { text, paragraph } of held) pass(kind, text, paragraph);
    held = [];
  };

  return {
    /** An item of the answer begins. */
    begin(item: unknown, index: unknown) {
      const begun = v.safeParse(beginning, item);
      if (!begun.success) return;
      const { type, phase } = begun.output;
      if (type === 'function_call') release('text');
      if (type !== 'message') return;
      if (phase === COMMENTARY) return void commentary.add(index);
      hasFinal = true;
      release('thinking');
    },
    tell(kind: Kind, text: string, index: unknown, summary: unknown) {
      const paragraph = JSON.stringify([index, summary]);
      if (kind === 'thinking' || !commentary.has(index)) return pass(kind, text, paragraph);
      held.push({ text, paragraph });
      onDelta?.({ type: 'alive' });
    },
    end: () => release(hasFinal ? 'thinking' : 'text'),
  };
}

/** Some servers leave the items out of the last event. */
function isEmpty(output: unknown): boolean {
  return output === undefined || (Array.isArray(output) && output.length === 0);
}
