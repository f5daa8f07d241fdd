import { defined } from '../../defined.ts';
import { parseJson, type Json } from '../../json.ts';
import type { Compaction, Summary } from './compaction.ts';
import { resultsIn, type Message, type ModelResponse } from './message.ts';
import type { Plan } from './plan.ts';
import type { Span } from './spans.ts';
import type { TokenUsage } from '../../token-usage.ts';
import type { BegunTurn, Incomplete, Run, RunStatus, UnusedAnswer, Usage } from './run.ts';

/** Why an answer ended that a guardrail of Bedrock blocked, or put something else in place of, in Bedrock's words. */
export const GUARDRAIL_INTERVENED = 'guardrail_intervened';

/** The turn that a watched run is in, with what the model has written so far. */
export interface Draft extends BegunTurn {
  text: string;
  /** The end of what it has thought so far; absent: nothing. */
  thinking?: string;
  /** What a call of the turn has written so far, now that the turn is there; absent: nothing. */
  output?: CallOutput;
}

export interface CallOutput {
  /** Which call of the turn. */
  call: number;
  /** Of all that it has written, in characters. */
  length: number;
  /** The end of it. */
  text: string;
}

/** Thoughts are kept nowhere else: the newest are shown while they come. */
const MAX_THOUGHT_CHARACTERS = 4_000;

/** The end of what a model has thought, with a further piece of it. */
export function lastThoughts(before: string | undefined, piece: string): string {
  return ((before ?? '') + piece).slice(-MAX_THOUGHT_CHARACTERS);
}

/** One turn: the messages to the model, its answer, and the plans for it. Written once. */
export interface Turn extends SentTurn {
  /** In turns of earlier releases: whether it was told that it has unread mail. */
  isNoticed?: true;
  answer: ModelResponse;
  /**
   * The faults of the answer, of a run whose answer must be JSON: [] if there are none. Absent: it is not the final
   * answer, or may be any text.
   */
  faults?: string[];
  /** Why nobody is shown its text, in words for its model, which continues. Absent: the text is shown. */
  denied?: string;
  /** One for each call of the answer, in call order. */
  plans: Plan[];
  /** When the answer arrived: ISO 8601, UTC. */
  at: string;
  /** When it became a turn of its run, if that had come to rest while hooks were asked about its text; absent: at once. */
  shownAt?: string;
  latencyMs: number;
  /** How often its request was sent again because the model's API had failed; absent: never. */
  retries?: number;
  /**
   * Its cost at the time, with that of the calls whose results it received, in billionths of a dollar. Absent: the price
   * of its model was unknown.
   */
  nanoUsd?: number;
  /** Which limit stands in the way of its calls, in words; then none of them is carried out. */
  exceeded?: string;
}

/** The part of a turn that is known when its model is asked. */
export interface SentTurn {
  number: number;
  /** The name of the execution that made it, and has it in its history; absent: the one that is named as the run. */
  execution?: string;
  /** The messages to the model after its last answer: results of its calls in call order, then messages of others. */
  received: Message[];
  /** The messages in its mailbox whose texts it was told; absent: none. */
  told?: string[];
  /** The messages in its mailbox that it was told to look for; absent: none. */
  noticed?: string[];
  /** How many messages were sent in all. */
  messages: number;
  /** How its older part was sent, from this turn on; absent: as for the turn before. */
  compaction?: Compaction;
  /**
   * What the run waited for from its last answer on until the results of its calls were there; absent: nothing, or not
   * known.
   */
  waited?: Span[];
}

/** Whether an answer leaves its model nothing to do: it has no calls, nothing to correct, and was not denied. */
export function isFinal({
  answer,
  faults = [],
  denied,
}: Pick<Turn, 'answer' | 'faults' | 'denied'>): boolean {
  return answer.calls.length === 0 && faults.length === 0 && denied === undefined;
}

/** Whether a turn is the last one, unless its agent is written to. */
export function isAnswer(turn: Turn): boolean {
  return isFinal(turn) && turn.exceeded === undefined;
}

/** Whether a run rests with an answer although messages of agents caused further turns: its newest turn led nowhere. */
export function isPassedOver({ passedOver }: Pick<Run, 'passedOver'>, turns: readonly Turn[]): boolean {
  return passedOver?.turn === turns.length;
}

/** The record of a run that rests with its newest turn: older turns that were passed over have been told. */
export function withoutPast<R extends Pick<Run, 'passedOver'>>(run: R, turns: readonly Turn[]) {
  const { passedOver, ...others } = run;
  return { ...others, ...(isPassedOver(run, turns) && defined({ passedOver })) };
}

/** Whether a run has its answer: with its newest turn, or before turns for messages of agents that led to nothing. */
export function hasAnswer(run: Pick<Run, 'passedOver'>, turns: readonly Turn[]): boolean {
  const newest = turns.at(-1);
  return newest !== undefined && (isAnswer(newest) || isPassedOver(run, turns));
}

/** The result of a run: its last answer or, if a budget ended it, the newest answer with any text; or "". */
export function resultOf(run: Rested, turns: readonly Turn[]): string {
  return resultTurn(run, turns)?.answer.text ?? '';
}

/** Why a run's answer is not whole, although it ended with it; undefined if it is whole, or there is none. */
export function incompleteOf(run: Rested, turns: readonly Turn[]): Incomplete | undefined {
  if (run.status === 'budget_exceeded') return undefined;
  const { stopReason: reason, rawStopReason } = resultTurn(run, turns)?.answer ?? {};
  if (reason === 'refusal' && rawStopReason === GUARDRAIL_INTERVENED) return 'guardrail';
  return reason === 'max_tokens' || reason === 'refusal' ? reason : undefined;
}

/** The last answer of a run: its result or, if later messages led to nothing, the one before. "" if there is none. */
export function lastAnswerOf(run: KnownRun, turns: readonly Turn[]): string {
  return lastAnswer(run, turns)?.answer.text ?? '';
}

/** The same as a value, for a run whose answer must be JSON; undefined if there is no valid one. */
export function outputOf(run: Rested, turns: readonly Turn[]): Json | undefined {
  const turn = lastAnswer(run, turns);
  return turn?.faults?.length === 0 ? parseJson(turn.answer.text) : undefined;
}

/** The parts of a record that tell which of its turns is its result. */
type Rested = Pick<Run, 'status' | 'passedOver'>;

/** A run as it is shown: one whose process is gone is interrupted, regardless of its record. */
interface KnownRun extends Pick<Run, 'passedOver'> {
  status: RunStatus | 'interrupted';
}

/** The turn whose text is the result of a run; undefined where it has none. */
export function resultTurn({ status, passedOver }: KnownRun, turns: readonly Turn[]): Turn | undefined {
  if (status === 'succeeded' || status === 'idle') {
    // Callers were not told what a slow function adds after the run has come to rest.
    const told = turns.filter(({ number }) => number <= (passedOver?.turn ?? Infinity));
    // Messages of agents may have taken it further, up to a limit, after its answer.
    return told.findLast(isAnswer) ?? told.at(-1);
  }
  if (status !== 'budget_exceeded') return undefined;
  return turns.findLast(({ answer }) => answer.text.trim() !== '');
}

/** The turn of the last answer that a run gave; undefined if it never answered. */
export function lastAnswer(run: KnownRun, turns: readonly Turn[]): Turn | undefined {
  return resultTurn(run, turns) ?? turns.findLast(isAnswer);
}

/** The calls that were carried out, or refused in words: all but those at which a limit ended the run. */
export function callsMade(turns: readonly Turn[]): number {
  const made = turns.filter(({ exceeded }) => exceeded === undefined);
  return made.reduce((sum, { answer }) => sum + answer.calls.length, 0);
}

/** The answers of batches that made no turn: a bucket may have taken one for unused of which a turn was being made. */
export function unusedOf({ unused }: Pick<Run, 'unused'>, turns: readonly Turn[]): Run['unused'] {
  return unused?.filter(({ turn }) => turns[turn - 1]?.answer.usage.service !== 'batch');
}

/**
 * Adds up what the turns used, with the summaries that were written for them.
 * @param unused answers that made no turn
 */
export function usageOf(turns: readonly Turn[], unused: readonly UnusedAnswer[] = []): Usage {
  const paid = [
    ...turns.flatMap((turn) => [{ usage: turn.answer.usage, nanoUsd: turn.nanoUsd }, ...summaryOf(turn)]),
    ...unused.map(({ usage = NO_TOKENS, nanoUsd }) => ({ usage, nanoUsd })),
  ];
  const sum = (count: (one: (typeof paid)[number]) => number) =>
    paid.reduce((total, one) => total + count(one), 0);
  const cacheReadTokens = sum(({ usage }) => usage.cacheReadTokens ?? 0);
  const cacheWriteTokens = sum(({ usage }) => usage.cacheWriteTokens ?? 0);
  const failedCalls = turns
    .flatMap(({ received }) => resultsIn(received))
    .filter(({ isError }) => isError).length;
  const retries = turns.reduce((total, turn) => total + (turn.retries ?? 0), 0);
  const isPriced = paid.length > 0 && paid.every(({ nanoUsd }) => nanoUsd !== undefined);
  return {
    turns: turns.length,
    toolCalls: turns.reduce((total, { answer }) => total + answer.calls.length, 0),
    inputTokens: sum(({ usage }) => usage.inputTokens),
    outputTokens: sum(({ usage }) => usage.outputTokens),
    ...(cacheReadTokens > 0 && { cacheReadTokens }),
    ...(cacheWriteTokens > 0 && { cacheWriteTokens }),
    ...(isPriced && { nanoUsd: sum(({ nanoUsd }) => nanoUsd ?? 0) }),
    ...(failedCalls > 0 && { failedCalls }),
    ...(retries > 0 && { retries }),
  };
}

const NO_TOKENS: TokenUsage = { inputTokens: 0, outputTokens: 0 };

/** Later turns have the same summary, which was paid for once. */
function summaryOf({ number, compaction }: Turn): Pick<Summary, 'usage' | 'nanoUsd'>[] {
  const summary = compaction?.summary;
  return summary?.turn === number ? [summary] : [];
}
