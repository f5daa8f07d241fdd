import * as v from 'valibot';
import { AgentError, messageOf } from '../errors.ts';
import type { Message, ModelResponse, ToolResult } from '../runs/message.ts';
import type { ModelRequest, Models } from '../models/model.ts';
import { MAX_RUNS_PER_TREE, planCalls, withinTree } from '../tools/registry.ts';
import { countedByProvider } from '../budget/count.ts';
import { closeRun } from './close.ts';
import { untilDeadline } from '../runs/deadline.ts';
import type { EmitRunEvent } from '../runs/event.ts';
import type { RunStore } from '../runs/ports.ts';
import { remember, type RememberPorts } from './remember.ts';
import type { Plan } from '../runs/plan.ts';
import { toResults } from './results.ts';
import { usageOf, type Opened, type Turn } from '../runs/run.ts';
import { chargeFailure, reserveTurn, settleTurn, type SpendingPorts } from './spending.ts';
import { toSteps, type Step } from './step.ts';
import { TurnInput } from './turn-input.ts';
import { coolingWait, waitAfter, type Wait, type WaitPorts } from './wait.ts';

/** A safety valve against conversations that never end, as axe has it. A turn is one send and receive. */
export const MAX_TURNS = 50;

/** What the machine is told: what to do next, by references only. */
export type TurnOutput =
  | { next: 'answered'; run: string; turn: number; status: 'succeeded' | 'budget_exceeded' }
  | { next: 'act'; run: string; turn: number; steps: Step[] }
  | Wait;

export interface TurnPorts extends SpendingPorts, RememberPorts, WaitPorts {
  store: RunStore;
  models: Models;
  emit: EmitRunEvent;
  now: () => number;
}

/**
 * Makes one turn with the model: puts the outcomes of the last turn's calls into words, sends the conversation,
 * keeps the answer and plans its calls. A turn happens once: where it, or a later one, is kept already, the model is
 * not asked again and the newest turn decides what is next. That is what makes a repeated call free, be it a Lambda
 * retry, a redrive or a run that is resumed.
 *
 * @throws {ModelError | AgentError | MissingKeyError} which fail the run
 */
export async function takeTurn(event: unknown, ports: TurnPorts, signal: AbortSignal): Promise<TurnOutput> {
  const input = v.parse(TurnInput, event);
  const [opened, turns] = await Promise.all([ports.store.opened(input.run), ports.store.turns(input.run)]);
  if (opened === undefined) throw new AgentError(`run "${input.run}" has not been opened`);
  let newest = turns.at(-1);
  if (newest === undefined || newest.number < input.turn) {
    const results = newest === undefined ? [] : await toResults(newest, toAsked(input, opened), ports.store);
    const asked = await ask(input, opened, turns, results, ports, signal);
    if ('exceeded' in asked) return endAtLimit(asked.exceeded, input.run, turns, ports);
    if ('next' in asked) return asked;
    newest = await ports.store.saveTurn(input.run, asked.turn);
    turns.push(newest);
  }
  const exceeded = await settleTurn(input.run, newest, opened, ports);
  if (newest.answer.calls.length === 0) {
    const closed = await closeRun(input.run, turns, { status: 'succeeded' }, ports);
    if (closed !== undefined) await remember(closed, opened, newest, ports);
    return { next: 'answered', run: input.run, turn: newest.number, status: 'succeeded' };
  }
  if (exceeded !== undefined) return endAtLimit(exceeded, input.run, turns, ports);
  if (newest.number >= MAX_TURNS) {
    throw new AgentError(`agent exceeded maximum conversation turns (${MAX_TURNS})`);
  }
  const steps = toSteps(input.run, newest, opened.delegation, input.deadline, ports.now());
  return { next: 'act', run: input.run, turn: newest.number, steps };
}

/** A limit is a normal end: what there is so far is the result. */
async function endAtLimit(
  exceeded: string,
  run: string,
  turns: readonly Turn[],
  ports: TurnPorts,
): Promise<TurnOutput> {
  await closeRun(run, turns, { status: 'budget_exceeded', exceeded }, ports);
  return { next: 'answered', run, turn: turns.length, status: 'budget_exceeded' };
}

function toAsked({ run, outcomes }: TurnInput, { delegation }: Opened) {
  return {
    run,
    outcomes: outcomes.map(({ call, error, cause }) => ({
      call,
      ...(error !== undefined && { error }),
      ...(cause !== undefined && { cause }),
    })),
    timeout: delegation.timeout,
  };
}

/** The whole conversation as the model gets it. Its bytes before the last message never change from turn to turn. */
export function toMessages(opened: Opened, turns: readonly Turn[], results: ToolResult[]): Message[] {
  const messages: Message[] = [{ role: 'user', text: opened.message }];
  for (const turn of turns) {
    if (turn.results.length > 0) messages.push({ role: 'tool', results: turn.results });
    const { text, calls, providerContent } = turn.answer;
    messages.push({
      role: 'assistant',
      text,
      calls,
      ...(providerContent !== undefined && { providerContent }),
    });
  }
  if (results.length > 0) messages.push({ role: 'tool', results });
  return messages;
}

async function ask(
  input: TurnInput,
  opened: Opened,
  turns: readonly Turn[],
  results: ToolResult[],
  ports: TurnPorts,
  signal: AbortSignal,
): Promise<{ turn: Turn } | { exceeded: string } | Wait> {
  const { models, emit, now } = ports;
  const { model, name } = await models.open(opened.model);
  const number = turns.length + 1;
  const request: ModelRequest = {
    model: name,
    system: opened.system,
    messages: toMessages(opened, turns, results),
    tools: opened.tools,
    temperature: opened.temperature,
    maxTokens: opened.maxTokens,
    ...(opened.reasoningEffort !== undefined && { reasoningEffort: opened.reasoningEffort }),
    ...(opened.api !== undefined && { api: opened.api }),
  };
  const { root, agent, delegation } = opened;
  const identity = { run: input.run, root, agent, model: opened.model, depth: delegation.depth };
  const waiting = (wait: Wait, reason: string) => {
    const delayMs = Date.parse(wait.until) - now();
    emit({ type: 'turn_waiting', ...identity, turn: number, delayMs, reason });
    return wait;
  };
  const cooling = await coolingWait(input, opened, ports);
  if (cooling !== undefined) return waiting(cooling, 'cooldown');
  const reserved = await reserveTurn(input.run, number, request, turns, opened, ports, () =>
    countedByProvider(model, request, signal),
  );
  if ('exceeded' in reserved) return reserved;
  emit({
    type: 'turn_started',
    ...identity,
    turn: number,
    messages: request.messages.length,
    pendingCalls: results.length,
  });
  const sentAt = now();
  const allowed = { deadline: input.deadline, seconds: input.timeout, now: sentAt };
  let answer: ModelResponse;
  try {
    answer = await untilDeadline(allowed, signal, (untilThen) =>
      model.send({ ...request, maxTokens: reserved.maxTokens }, untilThen),
    );
  } catch (thrown) {
    await chargeFailure(thrown, input.run, number, opened, ports);
    const wait = await waitAfter(thrown, input, opened, ports);
    if (wait === undefined) throw thrown;
    return waiting(wait, messageOf(thrown));
  }
  const at = now();
  const nanoUsd = ports.prices.costOf(opened.model, answer.usage);
  const paid = { number, answer, ...(nanoUsd !== undefined && { nanoUsd }) };
  // Charged before anything else can go wrong: the answer is paid, even where it cannot be planned or kept.
  await settleTurn(input.run, paid, opened, ports);
  const turn: Turn = {
    ...paid,
    results,
    plans: await plansFor(answer, turns, input.run, opened, ports.store),
    at: new Date(at).toISOString(),
    latencyMs: at - sentAt,
  };
  emit({
    type: 'turn_finished',
    ...identity,
    turn: number,
    stopReason: answer.rawStopReason,
    calls: answer.calls.length,
    latencyMs: turn.latencyMs,
    usage: usageOf([turn]),
  });
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
  const wanted = plans.filter(({ kind }) => kind === 'delegate').length;
  if (wanted === 0) return plans;
  return withinTree(plans, await store.grantRuns(run, wanted, MAX_RUNS_PER_TREE));
}

/** How many calls the machine was given to act on. */
function carriedOut(turns: readonly Turn[]): number {
  return turns.flatMap(({ plans }) => plans).filter(({ kind }) => kind !== 'done').length;
}
