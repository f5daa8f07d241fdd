import { countedByProvider } from '../budget/count.ts';
import { messageOf } from '../errors.ts';
import type { ModelRequest, Models } from '../models/model.ts';
import { isLate, untilDeadline } from '../runs/deadline.ts';
import { countResults, identityOf, turnFinishedEvent, turnStartedEvent } from '../runs/event.ts';
import type { EmitRunEvent } from '../runs/event.ts';
import type { Message, ModelResponse } from '../runs/message.ts';
import type { RunStore } from '../runs/ports.ts';
import type { Turn } from '../runs/run.ts';
import { withinHistory } from '../steps/history.ts';
import { startedRuns, withinTree } from '../steps/tree.ts';
import { MAX_RUNS_PER_TREE } from '../runs/ledger.ts';
import { planCalls } from '../tools/registry.ts';
import { toMessages } from './messages.ts';
import { chargeTurn } from './charge.ts';
import { followAnswer, noteBegun, type LivePorts } from './live-answer.ts';
import { reserveTurn } from './reserve.ts';
import { chargeFailure, returnReservation, type Account, type SpendingPorts } from './spending.ts';
import type { TurnInput } from './turn-input.ts';
import { shortageWait, waitAfter, type Wait, type WaitPorts } from './wait.ts';

export interface AskPorts extends SpendingPorts, WaitPorts, LivePorts {
  store: RunStore;
  models: Models;
  emit: EmitRunEvent;
  now: () => number;
}

/** A conversation up to the moment at which its model is asked again. */
export interface Conversation extends Account {
  turns: readonly Turn[];
  /** The messages before its own turns. */
  first: readonly Message[];
  /** The messages that it is sent now. */
  received: Message[];
  /** Set if the model's API must not be asked for now. */
  cooling: Wait | undefined;
  /** Until when somebody watches the tree, in milliseconds since 1970. */
  watchedUntil: number;
}

/**
 * Asks the model for its next answer and plans the calls in it, within what the tree may spend.
 * @returns the turn, which is not saved yet; or the limit that stands in its way; or how long to leave the API alone
 * @throws whatever the model's API failed with, if it is not asked again
 */
export async function askModel(
  input: TurnInput,
  conversation: Conversation,
  ports: AskPorts,
  signal: AbortSignal,
): Promise<{ turn: Turn } | { exceeded: string } | Wait> {
  const { run, opened, turns, first, received, cooling } = conversation;
  const { models, emit, now, store } = ports;
  const { model, name } = await models.open(opened.model);
  const number = turns.length + 1;
  const request: ModelRequest = {
    model: name,
    system: opened.system,
    messages: toMessages(first, turns, received),
    tools: opened.tools,
    temperature: opened.temperature,
    maxTokens: opened.maxTokens,
    ...(opened.reasoningEffort !== undefined && { reasoningEffort: opened.reasoningEffort }),
    ...(opened.api !== undefined && { api: opened.api }),
  };
  const waiting = (wait: Wait, reason: string) => {
    const delayMs = Date.parse(wait.until) - now();
    emit({ type: 'turn_waiting', ...identityOf(run), turn: number, delayMs, reason });
    return wait;
  };
  if (cooling !== undefined) return waiting(cooling, 'cooldown');
  const count = () => countedByProvider(model, request, signal);
  const reserved = await reserveTurn(conversation, number, request, turns, ports, count);
  if ('exceeded' in reserved) {
    const wait = reserved.isHeld ? shortageWait(input, ports) : undefined;
    return wait === undefined ? reserved : waiting(wait, 'budget');
  }
  const account = { ...conversation, ledger: reserved.ledger };
  // Another invocation has begun this turn, and may have finished it after all.
  const there = reserved.isBegun ? await store.turn(run.id, number) : undefined;
  if (there !== undefined) {
    await returnReservation(account, store);
    return { turn: there };
  }
  const sent = { number, messages: request.messages.length, received };
  emit(turnStartedEvent(run, sent));
  const sentAt = now();
  const begun = { turn: number, at: sentAt, messages: sent.messages, pendingCalls: countResults(received) };
  const live = followAnswer(run, begun, conversation.watchedUntil > sentAt, ports);
  const allowed = { deadline: input.deadline, seconds: input.timeout, now: sentAt };
  let answer: ModelResponse;
  let isSent = false;
  try {
    answer = await untilDeadline(allowed, signal, (untilThen) => {
      isSent = true;
      return model.send({ ...request, maxTokens: reserved.maxTokens }, untilThen, live?.hear);
    });
    await live?.settled();
  } catch (thrown) {
    await live?.settled();
    const isCut = isSent && (signal.aborted || isLate(messageOf(thrown)));
    await chargeFailure(thrown, isCut, account, ports);
    const wait = await waitAfter(thrown, input, opened, ports);
    if (wait !== undefined) return waiting(wait, messageOf(thrown));
    await noteBegun(run, begun, store);
    throw thrown;
  }
  const at = now();
  const nanoUsd = ports.prices.costOf(opened.model, answer.usage);
  const paid = { ...sent, answer, ...(nanoUsd !== undefined && { nanoUsd }) };
  const asked = await planCalls(answer.calls, opened);
  const plans = withinHistory(
    asked,
    turns.map((turn) => turn.plans),
  );
  const started = startedRuns(plans, { run, turn: number });
  // Charged before it is saved: the answer has to be paid for even if saving fails.
  const { granted, exceeded } = await chargeTurn(account, paid, [...started.values()], ports);
  const turn: Turn = {
    ...paid,
    plans: withinTree(plans, started, granted, MAX_RUNS_PER_TREE),
    at: new Date(at).toISOString(),
    latencyMs: at - sentAt,
    ...(exceeded !== undefined && { exceeded }),
  };
  emit(turnFinishedEvent(run, turn));
  return { turn };
}
