import * as v from 'valibot';
import { passOn, type Assembly } from '../../assembly.ts';
import type { OnDelta } from '../../../core/model/model.ts';
import { listOf } from '../../wire-parts.ts';
import { chatContent, textOf, thoughtsOf } from './wire.ts';
import { defined } from '../../../defined.ts';

const callPart = v.object({
  index: v.nullish(v.number()),
  id: v.nullish(v.string(), ''),
  type: v.optional(v.string()),
  function: v.nullish(v.object({ name: v.nullish(v.string(), ''), arguments: v.optional(v.unknown()) })),
  extra_content: v.optional(v.unknown()),
});
type CallPart = v.InferOutput<typeof callPart>;

/** The parts that are read of any chunk: https://platform.openai.com/docs/api-reference/chat-streaming */
const chunk = v.object({
  choices: listOf(
    v.object({
      delta: v.nullish(
        v.object({
          content: chatContent,
          refusal: v.nullish(v.string(), ''),
          reasoning_content: v.nullish(v.string(), ''),
          reasoning: v.nullish(v.string(), ''),
          reasoning_details: listOf(v.record(v.string(), v.unknown())),
          tool_calls: listOf(callPart),
        }),
        {},
      ),
      finish_reason: v.nullish(v.string(), ''),
    }),
  ),
  usage: v.nullish(v.unknown()),
  service_tier: v.nullish(v.unknown()),
  error: v.optional(v.unknown()),
  object: v.optional(v.unknown()),
});

/** Assembles the parts of a chat completion, as OpenAI and the many servers that speak its protocol send them. */
export function createAssembly(onDelta?: OnDelta): Assembly {
  const message = { content: '', refusal: '', reasoning_content: '' };
  const details: Record<string, unknown>[] = [];
  const calls: WireCall[] = [];
  const newest = new Map<number, WireCall>();
  let hasBegun = false;
  let finish_reason = '';
  let usage: unknown;
  let tier: unknown;
  let error: unknown;
  let hasEnded = false;

  return {
    add(part) {
      const { choices, usage: counted, service_tier, error: fault, object } = v.parse(chunk, part);
      usage = counted ?? usage;
      tier = service_tier ?? tier;
      // With vLLM a part may be nothing but the error.
      error = fault ?? (object === 'error' ? part : error);
      const [choice] = choices;
      if (choice === undefined) return onDelta?.({ type: 'alive' });
      const { delta } = choice;
      hasBegun = true;
      finish_reason = choice.finish_reason || finish_reason;
      const text = textOf(delta.content) || delta.refusal;
      const thinking = delta.reasoning_content || delta.reasoning || thoughtsOf(delta.content);
      message.content += textOf(delta.content);
      message.refusal += delta.refusal;
      message.reasoning_content += delta.reasoning_content;
      for (const detail of delta.reasoning_details) addDetail(details, detail);
      for (const call of delta.tool_calls) addCall(calls, newest, call);
      passOn({ text, thinking }, onDelta);
    },
    end: () => void (hasEnded = true),
    // Not every server sends the last mark, and not every one counts.
    isWhole: () => hasEnded || error !== undefined || (finish_reason !== '' && usage !== undefined),
    answer: () => ({
      choices: hasBegun
        ? [
            {
              message: { ...message, reasoning_details: details, tool_calls: calls },
              finish_reason,
            },
          ]
        : [],
      usage,
      ...defined({ service_tier: tier, error }),
    }),
  };
}

interface WireCall {
  id: string;
  type?: string;
  function?: { name: string; arguments: unknown };
  extra_content?: unknown;
}

/** Whether a part begins a call, although one of its number is known, or it has none. */
function isAnother(known: WireCall, part: CallPart, index: number | undefined): boolean {
  if (part.id !== '') return known.id !== '' && known.id !== part.id;
  return index === undefined && Boolean(part.function?.name) && Boolean(known.function?.name);
}

/**
 * Gemini numbers no calls; other servers give calls one number and ids of their own.
 * @param newest of the calls with a number
 */
function addCall(calls: WireCall[], newest: Map<number, WireCall>, part: CallPart): void {
  const index = part.index ?? undefined;
  const known = index === undefined ? calls.at(-1) : newest.get(index);
  const isMore = known !== undefined && !isAnother(known, part, index);
  const wire: WireCall = isMore ? known : { id: '' };
  if (!isMore) {
    calls.push(wire);
    if (index !== undefined) newest.set(index, wire);
  }
  wire.id ||= part.id;
  if (part.type !== undefined) wire.type = part.type;
  if (part.extra_content !== undefined) wire.extra_content = part.extra_content;
  if (!part.function) return;
  const { name, arguments: more } = part.function;
  wire.function ??= { name: '', arguments: '' };
  wire.function.name ||= name;
  const before = wire.function.arguments;
  if (typeof more === 'string' && typeof before === 'string') wire.function.arguments = before + more;
  else if (more !== undefined && more !== null) wire.function.arguments = more;
}

/** OpenRouter's pieces of what a model thought: neighbours of one kind and number are one. */
function addDetail(details: Record<string, unknown>[], piece: Record<string, unknown>): void {
  const last = details.at(-1);
  const isMore =
    last !== undefined &&
    last['type'] === piece['type'] &&
    last['index'] === piece['index'] &&
    piece['type'] !== 'reasoning.encrypted';
  if (!isMore) return void details.push({ ...piece });
  for (const [key, value] of Object.entries(piece)) {
    const isText = key === 'text' || key === 'summary';
    if (isText && typeof value === 'string' && typeof last[key] === 'string') last[key] += value;
    else if (value !== null && value !== undefined) last[key] = value;
  }
}
