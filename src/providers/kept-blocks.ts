import * as v from 'valibot';
import { isShallow } from '../json.ts';
import type { ToolCall } from '../core/records/message.ts';
import type { AnsweredCall, PairedTurn } from './pairing.ts';

/** A block of Anthropic's about a search, as it was answered. It is read by its makers alone, and goes back unchanged. */
export type SearchBlock =
  | { type: 'server_tool_use'; id: string; name: 'web_search'; input: unknown }
  | { type: 'web_search_tool_result'; tool_use_id: string; content: FoundBlock[] }
  | { type: 'text'; text: string; citations: CitationBlock[] };

interface FoundBlock {
  type: 'web_search_result';
  encrypted_content: string;
  title: string;
  url: string;
}

export interface CitationBlock {
  type: 'web_search_result_location';
  cited_text: string;
  encrypted_index: string;
  title: string | null;
  url: string;
}

const typed = v.looseObject({ type: v.string() });

/**
 * Thoughts between a call and its result go back to their model in their original blocks and order. Only the position
 * of calls is kept, and not the calls themselves, since their ids may have changed by then. What a provider has searched
 * for goes back as well, for as long as the conversation lasts.
 */
const keptBlock = v.union([
  /** Readable, or empty where only its signature is given away. */
  v.object({ type: v.literal('thinking'), text: v.string(), signature: v.string() }),
  v.object({ type: v.literal('redacted'), data: v.string() }),
  v.object({ type: v.literal('text'), text: v.string() }),
  v.object({ type: v.literal('call') }),
  /** Of a search by the provider: its parts, and texts that cite what it found. */
  v.object({ type: v.literal('raw'), raw: v.custom<SearchBlock>((raw) => v.is(typed, raw)) }),
]);
export type KeptBlock = v.InferOutput<typeof keptBlock>;

/** Which wire format the blocks are of, and which model thought: another one cannot read it. */
export interface KeptBy {
  wire: 'anthropic' | 'bedrock';
  model: string;
}

const kept = v.object({ wire: v.string(), model: v.string(), blocks: v.array(keptBlock) });

/**
 * The part of an answer to keep as its `providerContent`. After the last answer, no request sends thoughts back. A search
 * that has not ended, or a thought with nothing behind it, is none that a provider takes back.
 */
export function keepBlocks(
  by: KeptBy,
  blocks: readonly KeptBlock[],
  calls: readonly ToolCall[],
): { providerContent?: unknown } {
  const hasThought = blocks.some(isThought);
  if (blocks.slice(-1).some(isThought)) return {};
  const searched = blocks.flatMap((block) => (block.type === 'raw' ? [block.raw] : []));
  if (!(hasThought && calls.length > 0) && searched.length === 0) return {};
  if (calls.some(({ cut }) => cut) || !searched.every(hasEnded) || !isShallow(searched)) return {};
  return { providerContent: { ...by, blocks } };
}

function isThought({ type }: KeptBlock): boolean {
  return type === 'thinking' || type === 'redacted';
}

type Answer = Extract<PairedTurn, { role: 'assistant' }>;
export type AnswerBlock = Exclude<KeptBlock, { type: 'call' }> | { type: 'call'; call: AnsweredCall };

/** Whether a block is no search that lacks its result. */
function hasEnded(block: SearchBlock, _: number, searched: readonly SearchBlock[]): boolean {
  if (block.type !== 'server_tool_use') return true;
  return searched.some((other) => 'tool_use_id' in other && other.tool_use_id === block.id);
}

/** The blocks of an answer, as they came where they were kept for this model. */
export function toBlocks(turn: Answer, by: KeptBy): AnswerBlock[] {
  const text = turn.text === '' ? [] : [{ type: 'text' as const, text: turn.text }];
  return keptBlocks(turn, by) ?? [...text, ...turn.calls.map((call) => ({ type: 'call' as const, call }))];
}

/** The state of the thoughts in a conversation: whether any go back, and whether those before its last calls do not. */
export function thoughtsIn(turns: readonly PairedTurn[], by: KeptBy): { areKept: boolean; areLost: boolean } {
  const answers = turns.flatMap((turn) => (turn.role === 'user' ? [] : [turn]));
  const areKept = answers.some((turn) => keptBlocks(turn, by) !== undefined);
  const last = answers.at(-1);
  const areLost = last !== undefined && last.calls.length > 0 && keptBlocks(last, by) === undefined;
  return { areKept, areLost };
}

function keptBlocks(turn: Answer, { wire, model }: KeptBy): AnswerBlock[] | undefined {
  const parsed = v.safeParse(kept, turn.providerContent);
  if (!parsed.success || parsed.output.wire !== wire || parsed.output.model !== model) return undefined;
  const { blocks } = parsed.output;
  if (blocks.filter(({ type }) => type === 'call').length !== turn.calls.length) return undefined;
  const calls = turn.calls.values();
  return blocks.flatMap((block): AnswerBlock[] => {
    if (block.type !== 'call') return [block];
    const { value: call } = calls.next();
    return call === undefined ? [] : [{ type: 'call', call }];
  });
}
