import * as v from 'valibot';
import type { Allowance } from '../runs/amounts.ts';
import type { LoadedAgent } from '../agent/agent-source.ts';
import { ContextError, resolveContext, type ContextPorts } from '../agent/context.ts';
import { loadAgent } from '../agent/load-agent.ts';
import { toSubAgentMessage, toUserMessage } from '../agent/user-message.ts';
import { AgentError, messageOf } from '../errors.ts';
import { memoryName, type Memories } from '../memory/memories.ts';
import { recall } from '../memory/recall.ts';
import { parseModelName } from '../models/model-name.ts';
import { offerOf } from '../tools/registry.ts';
import { FORMAT } from '../machine/format.ts';
import { DEFAULT_TIMEOUT, ownDeadline, secondsUntil } from '../runs/deadline.ts';
import { identityOf, openedEvent, type EmitRunEvent } from '../runs/event.ts';
import type { RunStore } from '../runs/ports.ts';
import { preview } from '../runs/preview.ts';
import { childOf, isRunId, runOfExecution } from '../runs/run-id.ts';
import { holdRun, isHeldBy } from './hold.ts';
import { type CallReference, type Opened, type Overrides, type Run, NO_USAGE } from '../runs/run.ts';
import type { DelegationLimits } from '../runs/plan.ts';
import { offerOfServers, type ServerPorts } from './server-tools.ts';

const OpenInput = v.object({
  /** ARN and name of the execution, and how often it was redriven, as the context object has them. */
  execution: v.string(),
  name: v.string(),
  redrives: v.number(),
  /** The execution's own input: an agent and its prompt, or the call of a parent's turn that asks for this run. */
  input: v.object({
    /** The `FORMAT` of this input. */
    v: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
    agent: v.string(),
    /** The run that the execution carries; where none is named, it follows from the execution's name. */
    run: v.optional(v.pipe(v.string(), v.check(isRunId, 'it is no id of a run'))),
    /** Which execution of the run it is. */
    holder: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
    /** 0 at the top of a tree. */
    depth: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)), 0),
    prompt: v.optional(v.string(), ''),
    context: v.optional(v.string(), ''),
    deadline: v.optional(v.number()),
    /** Limits of a scheduled run, in place of the agent's own. */
    budget: v.optional(
      v.record(v.picklist(['tokens', 'nanoUsd']), v.pipe(v.number(), v.integer(), v.minValue(1))),
    ),
    /** Seconds for a run that is resumed, in place of those that it was opened with. */
    timeout: v.optional(v.number()),
    parent: v.optional(v.object({ run: v.string(), turn: v.number(), call: v.number() })),
  }),
});
type OpenInput = v.InferOutput<typeof OpenInput>;

export interface OpenOutput {
  run: string;
  /** Which execution of the run this is; each redrive counts as one more. */
  holder: number;
  /** Milliseconds since 1970. */
  deadline: number;
  /** Seconds until then. */
  timeout: number;
}

export interface OpenPorts extends ContextPorts, ServerPorts {
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
  const { execution, name, redrives, input } = v.parse(OpenInput, event);
  const id = input.run ?? runOfExecution(name);
  const claim = { holder: input.holder + redrives, execution };
  const origin = await findOrigin(id, input, ports.store);
  const startedAt = ports.now();
  const base: Run = {
    id,
    v: FORMAT,
    root: origin.root ?? id,
    ...(origin.parent !== undefined && { parent: origin.parent }),
    path: origin.path,
    agent: origin.agent,
    model: '',
    depth: origin.depth,
    ...(origin.owner !== undefined && { owner: origin.owner }),
    status: 'running',
    startedAt: new Date(startedAt).toISOString(),
    task: preview(origin.task),
    ...claim,
    timeout: 0,
    usage: NO_USAGE,
  };
  let opened: Opened;
  try {
    assertKnownFormat(input.v);
    opened =
      (await ports.store.opened(id)) ??
      (await ports.store.saveOpened(id, await toOpened(base, origin, ports)));
  } catch (thrown) {
    await ports.store.insertRun(base);
    ports.emit(openedEvent(base));
    throw thrown;
  }
  const deadline =
    input.deadline === undefined
      ? startedAt + (input.timeout || opened.timeout || DEFAULT_TIMEOUT) * 1000
      : ownDeadline(startedAt, input.deadline, opened.timeout, origin.timeout);
  const timeout = secondsUntil(deadline, startedAt);
  const run = { ...base, model: opened.model, timeout };
  await carry(run, ports);
  ports.emit(openedEvent(run));
  return { run: id, holder: input.holder, deadline, timeout };
}

/** An earlier deployment may have been put back while runs of a later one are under way. */
function assertKnownFormat(format: number): void {
  if (format <= FORMAT) return;
  throw new AgentError(
    `the run was started by a newer version of cadre (format ${format}; this one knows ${FORMAT}): deploy that version again, and resume the run`,
  );
}

/** Where a run comes from: a user, or the call of a parent's turn. */
interface Origin {
  root?: string;
  parent?: CallReference;
  path: string;
  agent: string;
  /** As in `Run`. */
  owner?: string | undefined;
  depth: number;
  /** The root's, which holds for the whole tree; undefined at the top. */
  maxDepth?: number;
  /** Seconds that the parent gives each of its sub-agents; 0 for what is left. */
  timeout: number;
  /** The root's, which holds for the whole tree; undefined at the top. */
  budget?: Allowance;
  task: string;
  message: string;
  /** What of the message is there to be read, and not to be done: it is the message's end. */
  input: string;
  /** The run whose input it reads besides. */
  inputOf?: string;
  /** Where its caller's tools act; "" at the top. */
  workdir: string;
  overrides: Overrides;
}

async function findOrigin(id: string, input: OpenInput['input'], store: RunStore): Promise<Origin> {
  const { depth } = input;
  if (input.parent === undefined) {
    const request = (await store.request(id)) ?? input;
    const { agent, prompt = '', context = '' } = request;
    const own = input.budget === undefined ? {} : { budget: input.budget };
    const overrides = 'overrides' in request ? (request.overrides ?? own) : own;
    const message = toUserMessage(prompt, context);
    return {
      path: '',
      agent,
      owner: 'owner' in request ? request.owner : undefined,
      depth,
      timeout: 0,
      task: prompt || context,
      message,
      input: context,
      workdir: '',
      overrides,
    };
  }
  const { run, turn, call } = input.parent;
  const [parent, opened, asked] = await Promise.all([
    store.run(run),
    store.opened(run),
    store.turn(run, turn),
  ]);
  const plan = asked?.plans[call - 1];
  if (parent === undefined || opened === undefined || plan?.kind !== 'delegate') {
    throw new AgentError(`no call ${call} of turn ${turn} of run "${run}" starts this run`);
  }
  const inputOf = opened.inputOf ?? (opened.inputAt === undefined ? undefined : run);
  return {
    root: parent.root,
    parent: input.parent,
    path: childOf(parent, turn, call, plan.agent).path,
    agent: plan.agent,
    owner: parent.owner,
    depth,
    maxDepth: opened.delegation.maxDepth,
    timeout: opened.delegation.timeout,
    ...(opened.budget !== undefined && { budget: opened.budget }),
    task: plan.task,
    message: toSubAgentMessage(plan.task, plan.context),
    input: plan.context,
    workdir: opened.workdir ?? '',
    ...(opened.sharesInput && inputOf !== undefined && { inputOf }),
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
  const toolsIn = origin.overrides.workdir?.trim() || agent.workdir.trim() || origin.workdir;
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
    ...(agent.shareInput && { sharesInput: true }),
    ...(agent.shareInput &&
      origin.input.trim() !== '' && { inputAt: origin.message.length - origin.input.length }),
    ...(origin.inputOf !== undefined && { inputOf: origin.inputOf }),
    temperature: agent.params.temperature,
    maxTokens: agent.params.maxTokens,
    ...(agent.params.reasoningEffort !== undefined && { reasoningEffort: agent.params.reasoningEffort }),
    ...(agent.params.api !== undefined && { api: agent.params.api }),
    ...offerOf(agent, delegation, await offerOfServers(agent.mcpServers, ports, warn)),
    ...(toolsIn !== '' && { workdir: toolsIn }),
    timeout: origin.overrides.timeout ?? agent.timeout,
  };
}

/** The limits that the agent's file and the caller set for the whole tree; a sub-agent's own are not looked at. */
function budgetOf({ budget }: LoadedAgent['agent'], overrides: Overrides): Allowance | undefined {
  const limits = Object.entries({
    tokens: budget.maxTokens,
    nanoUsd: Math.round(budget.maxUsd * 1e9),
    turns: budget.maxTurns,
    toolCalls: budget.maxToolCalls,
    ...overrides.budget,
  }).filter(([, limit]) => limit > 0);
  return limits.length > 0 ? Object.fromEntries(limits) : undefined;
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

/** A run that has its answer keeps it; any other is carried by this execution from now on. */
async function carry(run: Run, ports: OpenPorts): Promise<void> {
  const { store } = ports;
  const kept = await store.insertRun(run);
  const newest = isHeldBy(kept, run) ? undefined : await store.newestTurn(run.id);
  const held = await holdRun(kept, run, newest?.at, ports);
  if (held === undefined || (held.model === run.model && held.timeout === run.timeout)) return;
  const { model, timeout } = run;
  await store.updateRun(
    run.id,
    (current) => (isHeldBy(current, run) ? { ...current, model, timeout } : current),
    held,
  );
}
