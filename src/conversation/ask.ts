import { messageOf } from '../errors.ts';
import type { ModelRequest, Models } from '../models/model.ts';
import { untilDeadline } from '../runs/deadline.ts';
import { identityOf, turnFinishedEvent, turnStartedEvent, type EmitRunEvent } from '../runs/event.ts';
import type { Message, ModelResponse } from '../runs/message.ts';
import type { Plan } from '../runs/plan.ts';
import type { RunStore } from '../runs/ports.ts';
import type { Opened, Run, Turn } from '../runs/run.ts';
import { planned, withinTree } from '../steps/kinds.ts';
import { MAX_RUNS_PER_TREE, planCalls } from '../tools/registry.ts';
import { toMessages } from './messages.ts';
import { returnReservation, reserveTurn, settleTurn, type SpendingPorts } from './spending.ts';
import type { TurnInput } from './turn-input.ts';
import { coolingWait, waitAfter, type Wait, type WaitPorts } from './wait.ts';

export interface AskPorts extends SpendingPorts, WaitPorts {
  store: RunStore;
  models: Models;
  emit: EmitRunEvent;
  now: () => number;
}

/** A conversation up to the moment at which its model is asked again. */
export interface Conversation {
  run: Run;
  opened: Opened;
  turns: readonly Turn[];
  /** What comes before its own turns. */
  first: readonly Message[];
  /** What it is told now. */
  received: Message[];
}

/**
 * Asks the model for its next answer, and plans the calls of it, within what the tree may spend.
 * @returns the turn, which is not kept yet; or which limit is in the way; or until when to leave the API alone
 * @throws what the model's API did, if it is not asked again
 */
export async function askModel(
  input: TurnInput,
  { run, opened, turns, first, received }: Conversation,
  ports: AskPorts,
  signal: AbortSignal,
): Promise<{ turn: Turn } | { exceeded: string } | Wait> {
  const { models, emit, now } = ports;
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
  const cooling = await coolingWait(input, opened, ports);
  if (cooling !== undefined) return waiting(cooling, 'cooldown');
  const reserved = await reserveTurn(run.id, number, request, turns, opened, ports);
  if ('exceeded' in reserved) return reserved;
  const sent = { number, messages: request.messages.length, received };
  emit(turnStartedEvent(run, sent));
  const sentAt = now();
  const allowed = { deadline: input.deadline, seconds: input.timeout, now: sentAt };
  let answer: ModelResponse;
  try {
    answer = await untilDeadline(allowed, signal, (untilThen) =>
      model.send({ ...request, maxTokens: reserved.maxTokens }, untilThen),
    );
  } catch (thrown) {
    await returnReservation(run.id, number, opened, ports.store);
    const wait = await waitAfter(thrown, input, opened, ports);
    if (wait === undefined) throw thrown;
    return waiting(wait, messageOf(thrown));
  }
  const at = now();
  const nanoUsd = ports.prices.costOf(opened.model, answer.usage);
  const paid = { ...sent, answer, ...(nanoUsd !== undefined && { nanoUsd }) };
  // Charged before anything else can go wrong: the answer is paid, even where it cannot be planned or kept.
  await settleTurn(run.id, paid, opened, ports);
  const turn: Turn = {
    ...paid,
    plans: await plansFor(answer, turns, run.id, opened, ports.store),
    at: new Date(at).toISOString(),
    latencyMs: at - sentAt,
  };
  emit(turnFinishedEvent(run, turn));
  return { turn };
}

/** One plan for each call, as far as the run and its tree have room for it. */
async function plansFor(
  { calls }: ModelResponse,
  turns: readonly Turn[],
  run: string,
  { delegation }: Opened,
  store: RunStore,
): Promise<Plan[]> {
  const plans = planCalls(calls, delegation, carriedOut(turns));
  const wanted = plans.filter((plan) => planned(plan).startsRun).length;
  if (wanted === 0) return plans;
  return withinTree(plans, await store.grantRuns(run, wanted, MAX_RUNS_PER_TREE), MAX_RUNS_PER_TREE);
}

/** How many calls the machine was given to act on. */
function carriedOut(turns: readonly Turn[]): number {
  return turns.flatMap(({ plans }) => plans).filter((plan) => planned(plan).needsMachine).length;
}
