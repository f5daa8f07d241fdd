import { identityOf } from '../events/event.ts';
import { ModelError } from '../../errors.ts';
import { batchOwner, batchRequestId, laneOf, type PendingTurn } from '../records/batched.ts';
import type { ModelRequest } from '../model/model.ts';
import type { ModelResponse } from '../records/message.ts';
import { isUnused } from '../records/run.ts';
import type { SentTurn, Turn } from '../records/turn.ts';
import { chargeAside, returnReservation, type Account } from '../spending/spending.ts';
import { compactionOf, sentMessages } from './messages.ts';
import { PASSING } from './retry.ts';
import {
  promptOf,
  reserveFor,
  toModelRequest,
  type ConversationSoFar,
  type ModelCall,
  type NotReserved,
  type Prompt,
} from './send-prompt.ts';
import { roomIn, turnOf } from './turn-of-answer.ts';
import type { TurnBatch } from './wait.ts';

/**
 * Turns whose model is asked in a batch. The request is written down, the execution waits for its result
 * (../batches/), and the turn is made of that. Whatever else comes of it, the model is then asked alone.
 */

/** The longest wait for a batch: it is done after so long, or expired (both providers). */
const LONGEST_MS = 86_400_000;

/** With less time to wait, a request is not worth collecting. */
const SHORTEST_MS = 120_000;

/**
 * Looks what has become of a turn that was put into a batch before.
 * @returns the turn, or that it still waits, or how its model is asked alone; undefined if it was put into none
 */
export async function batchedTurn(
  asking: ModelCall,
): Promise<{ turn: Turn } | TurnBatch | ModelCall | undefined> {
  const { input, conversation, ports, model } = asking;
  const { run, turns } = conversation;
  const batches = await ports.store.batches();
  const number = turns.length + 1;
  const pending = await batches.pendingTurn(run.id, number);
  if (pending === undefined) return undefined;
  const now = ports.now();
  const known = await batches.batchedResult(run.id, number);
  if (known === undefined && now < Math.min(pending.until, input.until)) return wait(pending, asking);
  const { result } =
    known ?? (await batches.saveBatchedResult(run.id, number, { at: now, result: { left: true } }));
  // The answer may come after all, and is paid for then; or it came while the run rested, and is paid for already.
  if ('left' in result || isUnused(run, number)) return asking;
  const account = inBatch(conversation);
  if (!('answered' in result)) {
    await returnReservation(account, ports.store);
    return failing(pending, 'failed' in result ? result.failed : undefined, asking);
  }
  const api = await model.batches?.();
  if (api === undefined) return asking;
  const { sent, endpoint, maxTokens, askedAt } = pending;
  const then = { ...conversation, received: sent.received };
  const messages = sentMessages(then.first, turns, sent.received, sent.compaction ?? compactionOf(turns));
  const prompt = promptOf(then.opened, messages, maxTokens);
  const request = { ...toModelRequest(prompt, asking), service: 'batch' } as const;
  let answer: ModelResponse;
  try {
    answer = api.toAnswer(request, endpoint, result.answered);
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
    await chargeAside(api.spentOn(endpoint, result.answered), account, ports);
    // Without what it has cost, which is charged.
    return failing(pending, { category: thrown.category, message: thrown.detail }, asking);
  }
  const room = roomIn(then);
  const limit = typeof room === 'number' ? room : maxTokens;
  const answered = { answer, account, sentAt: askedAt };
  return { turn: await turnOf(answered, sent, limit, { ...asking, conversation: then }) };
}

/**
 * Puts a turn into a batch.
 * @param alike turns whose prompts begin like this one
 * @returns undefined where it is not worth it, or cannot be done: then its model is asked alone
 */
export async function beginBatched(
  prompt: Prompt,
  alike: readonly Turn[],
  sent: SentTurn,
  asking: ModelCall,
): Promise<TurnBatch | NotReserved | undefined> {
  const { input, conversation, ports, model } = asking;
  const { run, opened } = conversation;
  const askedAt = ports.now();
  const most = Math.min(LONGEST_MS, (input.until - askedAt) / 2);
  const api = opened.guardrail === undefined && most >= SHORTEST_MS ? await model.batches?.() : undefined;
  if (api === undefined) return undefined;
  const request: ModelRequest = {
    ...toModelRequest(prompt, asking),
    service: 'batch',
    ...(isForgotten(conversation.turns.at(-1)) && { isUncached: true }),
  };
  const reserved = await reserveFor(request, alike, inBatch(conversation), asking);
  if (!('maxTokens' in reserved)) return reserved;
  const { maxTokens } = reserved;
  const { endpoint, body } = await api.toBody({ ...request, maxTokens });
  const batches = await ports.store.batches();
  const pending = await batches.savePendingTurn(run.id, {
    turn: sent.number,
    id: batchRequestId(run.id, sent.number, input.attempt),
    model: opened.model,
    endpoint,
    lane: laneOf({ model: opened.model, account: api.account, endpoint }),
    askedAt,
    attempt: input.attempt,
    until: askedAt + most,
    maxTokens,
    sent,
    body,
  });
  return wait(pending, asking);
}

/** How long what a batch writes to its provider's cache is kept. */
const KEPT_MS = 3_600_000;

/**
 * Whether what a turn has left in the cache was gone before its batch was over. What is kept for an hour costs twice what
 * it costs plainly, which pays only if it is found again.
 */
function isForgotten(turn: Turn | undefined): boolean {
  return turn?.answer.usage.service === 'batch' && turn.latencyMs > KEPT_MS;
}

/** What a turn in a batch costs is kept apart from what other invocations reserve. */
function inBatch(conversation: ConversationSoFar): Account {
  return { ...conversation, owner: batchOwner(conversation.run.id, conversation.turns.length + 1) };
}

function wait({ turn, until }: PendingTurn, { input, conversation, ports }: ModelCall): TurnBatch {
  const { run } = conversation;
  const { outcomes, attempt, shortages } = input;
  const last = Math.min(until, input.until);
  const delayMs = last - ports.now();
  ports.live?.tell({ type: 'turn_waiting', ...identityOf(run), turn, delayMs, reason: 'batch' });
  return {
    next: 'batch',
    run: run.id,
    turn: turn - 1,
    until: new Date(last).toISOString(),
    outcomes,
    attempt,
    shortages,
  };
}

/**
 * The model is asked alone. A fault that may pass is told first, once, as if its API had just answered so: whether it is
 * asked again is then as the agent has it. Any other is found again, or is not, where it is asked alone.
 */
function failing(
  pending: PendingTurn,
  failed: { category: ModelError['category']; message: string } | undefined,
  asking: ModelCall,
): ModelCall {
  const isNew = asking.input.attempt === pending.attempt;
  if (failed === undefined || !isNew || !PASSING.includes(failed.category)) return asking;
  const thrown = new ModelError(failed.category, failed.message);
  return { ...asking, model: { ...asking.model, send: () => Promise.reject(thrown) } };
}
