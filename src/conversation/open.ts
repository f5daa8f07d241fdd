import * as v from 'valibot';
import { openLedger, type Amounts } from '../runs/ledger.ts';
import type { LoadedAgent } from '../agent/agent-source.ts';
import { ContextError, resolveContext, type ContextPorts } from '../agent/context.ts';
import { loadAgent } from '../agent/load-agent.ts';
import { toSubAgentMessage, toUserMessage } from '../agent/user-message.ts';
import { AgentError, messageOf } from '../errors.ts';
import { memoryName, type Memories } from '../memory/memories.ts';
import { recall } from '../memory/recall.ts';
import { parseModelName } from '../models/model-name.ts';
import { toolsFor } from '../tools/registry.ts';
import { DEFAULT_TIMEOUT, ownDeadline, secondsUntil } from '../runs/deadline.ts';
import type { EmitRunEvent } from '../runs/event.ts';
import type { RunStore } from '../runs/ports.ts';
import { runIdOfExecution } from '../runs/run-id.ts';
import {
  identityOf,
  type CallReference,
  type DelegationLimits,
  type Opened,
  type Overrides,
  type Run,
} from '../runs/run.ts';

/** At most this many of a turn's calls are under way at once: what an inline Map does (Step Functions, "Map state"). */
export const PARALLEL_CALLS = 40;

const OpenInput = v.object({
  /** ARN and name of the execution, as the context object has them. */
  execution: v.string(),
  name: v.string(),
  /** The execution's own input: an agent and its prompt, or the call of a parent's turn that asks for this run. */
  input: v.object({
    agent: v.string(),
    prompt: v.optional(v.string(), ''),
    context: v.optional(v.string(), ''),
    deadline: v.optional(v.number()),
    /** Limits of a scheduled run, in place of the agent's own. */
    budget: v.optional(v.record(v.picklist(['tokens', 'nanoUsd']), v.pipe(v.number(), v.minValue(0)))),
    /** Seconds for a run that is resumed, in place of those that it was opened with. */
    timeout: v.optional(v.number()),
    parent: v.optional(v.object({ run: v.string(), turn: v.number(), call: v.number() })),
  }),
});
type OpenInput = v.InferOutput<typeof OpenInput>;

export interface OpenOutput {
  run: string;
  depth: number;
  /** Milliseconds since 1970. */
  deadline: number;
  /** Seconds until then. */
  timeout: number;
  /** How many of a turn's calls may be under way at once. */
  concurrency: number;
}

export interface OpenPorts extends ContextPorts {
  store: RunStore;
  memories: Memories;
  emit: EmitRunEvent;
  now: () => number;
}

/**
 * Opens the conversation of an execution: loads the agent, gathers what it starts with, and writes down everything
 * that stays the same from turn to turn. A run that is there already goes on as it was opened, in this execution.
 *
 * @throws {ConfigError | AgentError} which fail the run; the record says why, so that a parent can be told
 */
export async function openRun(event: unknown, ports: OpenPorts): Promise<OpenOutput> {
  const input = v.parse(OpenInput, event);
  const id = runIdOfExecution(input.name);
  const origin = await findOrigin(id, input, ports.store);
  const startedAt = ports.now();
  const base: Run = {
    id,
    root: origin.root ?? id,
    ...(origin.parent !== undefined && { parent: origin.parent }),
    agent: origin.agent,
    model: '',
    depth: origin.depth,
    status: 'running',
    startedAt: new Date(startedAt).toISOString(),
    execution: input.execution,
    timeout: 0,
    usage: { turns: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0 },
  };
  let opened: Opened;
  try {
    opened =
      (await ports.store.opened(id)) ??
      (await ports.store.saveOpened(id, await toOpened(base, origin, ports)));
  } catch (thrown) {
    await ports.store.insertRun(base);
    tellOfOpening(base, origin, ports.emit);
    throw thrown;
  }
  if (opened.budget !== undefined && origin.parent === undefined) {
    await ports.store.openLedger(id, openLedger(opened.budget));
  }
  const deadline =
    input.input.deadline === undefined
      ? startedAt + (input.input.timeout || opened.timeout || DEFAULT_TIMEOUT) * 1000
      : ownDeadline(startedAt, input.input.deadline, opened.timeout, origin.timeout);
  const timeout = secondsUntil(deadline, startedAt);
  const run = { ...base, model: opened.model, timeout };
  await carryOn(run, ports.store);
  tellOfOpening(run, origin, ports.emit);
  const concurrency = opened.delegation.parallel ? PARALLEL_CALLS : 1;
  return { run: id, depth: origin.depth, deadline, timeout, concurrency };
}

/** Where a run comes from: a user, or the call of a parent's turn. */
interface Origin {
  root?: string;
  parent?: CallReference;
  agent: string;
  depth: number;
  /** The root's, which holds for the whole tree; undefined at the top. */
  maxDepth?: number;
  /** Seconds that the parent gives each of its sub-agents; 0 for what is left. */
  timeout: number;
  /** The root's, which holds for the whole tree; undefined at the top. */
  budget?: Amounts;
  task: string;
  message: string;
  overrides: Overrides;
}

async function findOrigin(id: string, { input }: OpenInput, store: RunStore): Promise<Origin> {
  if (input.parent === undefined) {
    const request = (await store.request(id)) ?? input;
    const { agent, prompt = '', context = '' } = request;
    const own = input.budget === undefined ? {} : { budget: input.budget };
    const overrides = 'overrides' in request ? (request.overrides ?? own) : own;
    return { agent, depth: 0, timeout: 0, task: prompt, message: toUserMessage(prompt, context), overrides };
  }
  const { run, turn, call } = input.parent;
  const [parent, opened, asked] = await Promise.all([
    store.run(run),
    store.opened(run),
    store.turn(run, turn),
  ]);
  const plan = asked?.plans[call - 1];
  if (parent === undefined || opened === undefined || plan?.kind !== 'delegate') {
    throw new AgentError(`no call ${call} of turn ${turn} of run "${run}" asks for this run`);
  }
  const { depth, maxDepth, timeout } = opened.delegation;
  return {
    root: parent.root,
    parent: input.parent,
    agent: plan.agent,
    depth: depth + 1,
    maxDepth,
    timeout,
    ...(opened.budget !== undefined && { budget: opened.budget }),
    task: plan.task,
    message: toSubAgentMessage(plan.task, plan.context),
    overrides: {},
  };
}

async function toOpened(base: Run, origin: Origin, ports: OpenPorts): Promise<Opened> {
  const loaded = await named('failed to load agent', origin, () => loadAgent(origin.agent, ports.source));
  const { agent } = loaded;
  const model = origin.overrides.model ?? agent.model;
  await named('invalid model for agent', origin, () => parseModelName(model));
  const warn = (message: string) =>
    ports.emit({ type: 'warning', ...identityOf({ ...base, model }), message });
  const memory = await recall(origin.agent, agent.memory, ports.memories, warn);
  const { systemPrompt } = await contextOf(loaded, origin, memory, ports);
  const delegation: DelegationLimits = {
    subAgents: agent.subAgents,
    depth: origin.depth,
    maxDepth: origin.maxDepth ?? agent.maxDepth,
    parallel: agent.parallel,
    timeout: agent.subAgentTimeout,
  };
  const budget = origin.parent === undefined ? budgetOf(agent, origin.overrides) : origin.budget;
  return {
    root: base.root,
    ...(budget !== undefined && { budget }),
    ...(agent.retry.maxRetries > 0 && { retry: agent.retry }),
    ...(agent.memory.enabled && {
      memory: { name: memoryName(origin.agent, agent.memory), maxEntries: agent.memory.maxEntries },
    }),
    agent: origin.agent,
    model,
    system: systemPrompt,
    message: origin.message,
    temperature: agent.params.temperature,
    maxTokens: agent.params.maxTokens,
    ...(agent.params.reasoningEffort !== undefined && { reasoningEffort: agent.params.reasoningEffort }),
    ...(agent.params.api !== undefined && { api: agent.params.api }),
    tools: toolsFor(delegation),
    delegation,
    timeout: origin.overrides.timeout ?? agent.timeout,
  };
}

/** The limits that the agent's file and the caller set for the whole tree; a sub-agent's own are not looked at. */
function budgetOf({ budget }: LoadedAgent['agent'], overrides: Overrides): Amounts | undefined {
  const limits: Amounts = {
    tokens: budget.maxTokens,
    nanoUsd: Math.round(budget.maxUsd * 1e9),
    turns: budget.maxTurns,
    toolCalls: budget.maxToolCalls,
    ...overrides.budget,
  };
  return Object.values(limits).some((limit) => limit > 0) ? limits : undefined;
}

async function contextOf(loaded: LoadedAgent, origin: Origin, memory: string, ports: OpenPorts) {
  const { skill, workdir } = origin.overrides;
  try {
    const overrides = { ...(skill && { skill }), ...(workdir && { workdir }), memory };
    return await resolveContext(loaded, overrides, ports);
  } catch (thrown) {
    if (!(thrown instanceof ContextError)) throw thrown;
    const what =
      thrown.part === 'files' ? 'failed to resolve files for agent' : 'failed to load skill for agent';
    return named(what, origin, () => Promise.reject(thrown));
  }
}

/** At the top a fault speaks for itself; a parent's model is told whose it is. */
async function named<T>(what: string, origin: Origin, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (origin.parent === undefined) throw thrown;
    throw new AgentError(`${what} "${origin.agent}": ${messageOf(thrown)}`, { cause: thrown });
  }
}

function tellOfOpening(run: Run, { task, parent }: Origin, emit: EmitRunEvent): void {
  emit({ type: 'run_opened', ...identityOf(run), task, ...(parent !== undefined && { parent }) });
}

/** A run that has its answer keeps it; any other is carried by this execution from now on. */
async function carryOn(run: Run, store: RunStore): Promise<void> {
  const kept = await store.insertRun(run);
  const isSame = kept.execution === run.execution && kept.timeout === run.timeout;
  if (isSame && kept.status === 'running') return;
  await store.updateRun(run.id, (current) => {
    if (current.status === 'succeeded') return current;
    const { failure: _failure, endedAt: _endedAt, exceeded: _exceeded, ...open } = current;
    return { ...open, status: 'running', execution: run.execution, model: run.model, timeout: run.timeout };
  });
}
