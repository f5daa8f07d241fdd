import * as v from 'valibot';
import { passOn, type Assembly } from '../assembly.ts';
import type { OnDelta } from '../../core/model/model.ts';
import { createParagraphs } from './paragraphs.ts';
import { inputOf } from '../wire-parts.ts';
import { defined } from '../../defined.ts';

const usage = v.nullish(v.record(v.string(), v.unknown()), {});

/** The parts that are read of any event: https://docs.anthropic.com/en/docs/build-with-claude/streaming */
const event = v.object({
  type: v.string(),
  index: v.optional(v.number(), 0),
  message: v.optional(v.looseObject({ usage })),
  content_block: v.optional(v.looseObject({ type: v.string() })),
  delta: v.optional(
    v.object({
      text: v.optional(v.string()),
      partial_json: v.optional(v.string()),
      thinking: v.optional(v.string()),
      signature: v.optional(v.string()),
      citation: v.optional(v.unknown()),
      stop_reason: v.nullish(v.string()),
    }),
    {},
  ),
  usage,
  error: v.optional(v.unknown()),
});

interface Block {
  start: { type: string; [key: string]: unknown };
  text: string;
  /** The input of a call, as JSON text. */
  json: string;
  signature: string;
  citations: unknown[];
}

/** Assembles the events of the Messages API into a message. */
export function createAssembly(onDelta?: OnDelta, paragraphs = createParagraphs()): Assembly {
  const blocks = new Map<number, Block>();
  let counts: Record<string, unknown> = {};
  let stopReason: string | null | undefined;
  let hasFinalCount = false;
  let error: unknown;
  let isWhole = false;

  /** Counts come several times, each for all that came before; a null says nothing. */
  const count = (more: Record<string, unknown> | null) => {
    const known = Object.entries(more ?? {}).filter(([, value]) => value !== null);
    counts = { ...counts, ...Object.fromEntries(known) };
  };

  return {
    add(part) {
      const { type, index, message, content_block, delta, usage, error: fault } = v.parse(event, part);
      if (type === 'error') {
        error = fault;
        isWhole = true;
      } else if (type === 'message_start') {
        count(message?.usage ?? null);
      } else if (type === 'content_block_start' && content_block !== undefined) {
        const { text, thinking } = v.parse(beginning, content_block);
        const begun = { text: text + thinking, json: '', signature: '', citations: [] };
        blocks.set(index, { start: content_block, ...begun });
        return passOn({ text: paragraphs.next(content_block.type, text), thinking }, onDelta);
      } else if (type === 'content_block_delta') {
        const block = blocks.get(index);
        const { text = '', thinking = '', partial_json = '', signature = '' } = delta;
        if (block === undefined) return;
        block.text += text + thinking;
        block.json += partial_json;
        block.signature += signature;
        if (delta.citation !== undefined) block.citations.push(delta.citation);
        return passOn({ text: paragraphs.next(block.start.type, text), thinking }, onDelta);
      } else if (type === 'message_delta') {
        stopReason = delta.stop_reason;
        count(usage);
        hasFinalCount = true;
      } else if (type === 'message_stop') {
        isWhole = true;
      }
      passOn({}, onDelta);
    },
    isWhole: () => isWhole,
    answer: () => ({
      content: [...blocks.values()].map(toContent),
      stop_reason: stopReason,
      // The count that comes with an answer's beginning is of hardly any of it.
      usage: hasFinalCount ? counts : { ...counts, output_tokens: undefined },
      ...defined({ error }),
    }),
  };
}

const beginning = v.object({ text: v.optional(v.string(), ''), thinking: v.optional(v.string(), '') });

function toContent({ start, text, json, signature, citations }: Block): object {
  if (start.type === 'text') return { ...start, text, ...(citations.length > 0 && { citations }) };
  if (start.type === 'thinking') return { ...start, thinking: text, signature };
  return json === '' ? start : { ...start, input: inputOf(json) };
}
