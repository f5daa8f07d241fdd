import * as v from 'valibot';
import { AgentError } from '../errors.ts';
import type { Message, ToolResult } from '../models/model.ts';
import { planCalls } from '../tools/registry.ts';
import { untilDeadline } from './deadline.ts';
import { delegateResult, doneResult, type Outcome } from './outcome.ts';
import type { EmitRunEvent, Models, RunStore } from './ports.ts';
import { childRunId } from './run-id.ts';
import { identityOf, usageOf, type Opened, type Turn } from './run.ts';
import { toSteps, type Step } from './step.ts';

/** A safety valve against conversations that never end, as axe has it. A turn is one send and receive. */
export const MAX_TURNS = 50;

const TurnInput = v.object({
  run: v.string(),
  turn: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** Milliseconds since 1970. */
  deadline: v.number(),
  /** Seconds that the run was given, for the words of a timeout. */
  timeout: v.number(),
  outcomes: v.array(
    v.object({ call: v.number(), error: v.optional(v.string()), cause: v.optional(v.string()) }),
  ),
});
type TurnInput = v.InferOutput<typeof TurnInput>;

/** What the machine is told: what to do next, by references only. */
export type TurnOutput =
  { next: 'answered'; run: string; turn: number } | { next: 'act'; run: string; turn: number; steps: Step[] };

export interface TurnPorts {
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
    const results = newest === undefined ? [] : await toResults(newest, input, opened, ports.store);
    newest = await ports.store.saveTurn(input.run, await ask(input, opened, turns, results, ports, signal));
    turns.push(newest);
  }
  if (newest.answer.calls.length === 0) {
    await close(input.run, newest, turns, ports);
    return { next: 'answered', run: input.run, turn: newest.number };
  }
  if (newest.number >= MAX_TURNS) {
    throw new AgentError(`agent exceeded maximum conversation turns (${MAX_TURNS})`);
  }
  const steps = toSteps(input.run, newest, opened.delegation, input.deadline, ports.now());
  return { next: 'act', run: input.run, turn: newest.number, steps };
}

/** The whole conversation as the model gets it. Its bytes before the last message never change from turn to turn. */
export function toMessages(opened: Opened, turns: readonly Turn[], results: ToolResult[]): Message[] {
  const messages: Message[] = [{ role: 'user', text: opened.message }];
  for (const turn of turns) {
    if (turn.results.length > 0) messages.push({ role: 'tool', results: turn.results });
    messages.push({ role: 'assistant', text: turn.answer.text, calls: turn.answer.calls });
  }
  if (results.length > 0) messages.push({ role: 'tool', results });
  return messages;
}

async function ask(
  input: TurnInput,
  opened: Opened,
  turns: readonly Turn[],
  results: ToolResult[],
  { models, emit, now }: TurnPorts,
  signal: AbortSignal,
): Promise<Turn> {
  const { model, name } = await models.open(opened.model);
  const messages = toMessages(opened, turns, results);
  const number = turns.length + 1;
  const { root, agent, delegation } = opened;
  const identity = { run: input.run, root, agent, model: opened.model, depth: delegation.depth };
  emit({
    type: 'turn_started',
    ...identity,
    turn: number,
    messages: messages.length,
    pendingCalls: results.length,
  });
  const sentAt = now();
  const allowed = { deadline: input.deadline, seconds: input.timeout, now: sentAt };
  const answer = await untilDeadline(allowed, signal, (untilThen) =>
    model.send(
      {
        model: name,
        system: opened.system,
        messages,
        tools: opened.tools,
        temperature: opened.temperature,
        maxTokens: opened.maxTokens,
      },
      untilThen,
    ),
  );
  const at = now();
  const turn: Turn = {
    number,
    results,
    answer,
    plans: planCalls(answer.calls, opened.delegation, carriedOut(turns)),
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
  return turn;
}

/** How many calls the machine was given to act on. */
function carriedOut(turns: readonly Turn[]): number {
  return turns.flatMap(({ plans }) => plans).filter(({ kind }) => kind !== 'done').length;
}

/** The results of a turn's calls, in call order whatever order they finished in. */
async function toResults(
  turn: Turn,
  input: TurnInput,
  opened: Opened,
  store: RunStore,
): Promise<ToolResult[]> {
  const outcomes = new Map<number, Outcome>();
  for (const { call, error, cause } of input.outcomes) {
    outcomes.set(call, {
      call,
      ...(error !== undefined && { error }),
      ...(cause !== undefined && { cause }),
    });
  }
  return Promise.all(
    turn.answer.calls.map(async (call, index) => {
      const plan = turn.plans[index];
      if (plan === undefined) throw new AgentError(`turn ${turn.number} of "${input.run}" lost a plan`);
      if (plan.kind === 'done') return doneResult(call, plan);
      const id = childRunId(input.run, turn.number, index + 1, plan.agent);
      const run = await store.run(id);
      const last = run?.status === 'succeeded' ? await store.turn(id, run.usage.turns) : undefined;
      return delegateResult(call, plan, {
        run,
        text: last?.answer.text,
        outcome: outcomes.get(index + 1),
        timeout: run?.timeout ?? opened.delegation.timeout,
      });
    }),
  );
}

async function close(id: string, last: Turn, turns: readonly Turn[], ports: TurnPorts): Promise<void> {
  const endedAt = ports.now();
  let wasRunning = false;
  const run = await ports.store.updateRun(id, (current) => {
    wasRunning = current.status !== 'succeeded';
    if (!wasRunning) return current;
    const { failure: _, ...open } = current;
    return {
      ...open,
      status: 'succeeded',
      endedAt: new Date(endedAt).toISOString(),
      usage: usageOf(turns),
      stopReason: last.answer.rawStopReason,
    };
  });
  if (run === undefined || !wasRunning) return;
  ports.emit({
    type: 'run_closed',
    ...identityOf(run),
    status: 'succeeded',
    durationMs: endedAt - Date.parse(run.startedAt),
    characters: last.answer.text.length,
    error: '',
    reason: '',
  });
}
