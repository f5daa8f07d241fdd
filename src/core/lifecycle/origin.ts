import { DEADLINE, SECONDS } from '../turn/hold.ts';
import type { Seconds } from '../records/times.ts';
import * as v from 'valibot';
import type { FileOwner } from '../agent-schema/workspace.ts';
import { toSubAgentMessage, toUserMessage } from '../agent-schema/user-message.ts';
import { AgentError } from '../../errors.ts';
import type { TreeBudget } from '../records/allotment.ts';
import type { Attachment } from '../records/attachment.ts';
import type { CallKey, ToolRules } from '../records/call.ts';
import type { Message } from '../records/message.ts';
import { startsFork, type Derivation } from '../records/plan.ts';
import type { RunReads } from '../records/ports.ts';
import { approvedCall, type ApprovalPorts } from '../turn/approved-call.ts';
import { childOf, isRunId } from '../records/run-id.ts';
import type { Opened } from '../records/opened.ts';
import { SERVICE_WORDS, type Service } from '../../token-usage.ts';
import type { ForkedFrom } from '../records/run.ts';
import { isIn, UNDER_WAY } from '../records/phase.ts';
import type { Overrides } from '../records/request.ts';
import type { Tags } from '../records/tags.ts';
import { defined } from '../../defined.ts';
import { ownerOf, type Owned } from '../records/owner.ts';

/** The input of an execution: an agent and its prompt, or the call of a parent's turn that asks for this run. */
export const RunInput = v.object({
  /** The `FORMAT` of this input. */
  v: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
  agent: v.string(),
  /** The run that the execution carries; if left out, it follows from the execution's name. */
  run: v.optional(v.pipe(v.string(), v.check(isRunId, 'it is not the id of a run'))),
  /** Which execution of the run it is. */
  holder: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
  /** 0 at the top of a tree. */
  depth: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)), 0),
  /** Seconds that the tree may wait for people in all, of a sub-agent; the root has its own. */
  patience: v.optional(SECONDS, 0),
  prompt: v.optional(v.string(), ''),
  /** A text, or a value that is read as JSON: a caller such as EventBridge may be unable to write a text. */
  context: v.optional(
    v.union([
      v.string(),
      v.pipe(
        v.record(v.string(), v.unknown()),
        v.transform((value) => JSON.stringify(value)),
      ),
    ]),
    '',
  ),
  deadline: v.optional(DEADLINE),
  /** Limits of a scheduled run, in place of the agent's own. */
  budget: v.optional(
    v.record(v.picklist(['tokens', 'nanoUsd']), v.pipe(v.number(), v.integer(), v.minValue(1))),
  ),
  /** How models serve a scheduled run, in place of the agent's own. */
  service: v.optional(v.picklist(SERVICE_WORDS)),
  /**
   * Seconds for a resumed run, in place of the timeout that it was opened with. With a deadline, the seconds that there
   * were until then when the execution was started.
   */
  timeout: v.optional(SECONDS),
  /** Whether an Express execution has carried the run before, of whose end nothing may be known. */
  isMoved: v.optional(v.boolean(), false),
  /** Whether a message wakes the run, which may have its answer. */
  isWoken: v.optional(v.boolean(), false),
  /** The run that wrote the message, if it was no person. */
  wokenBy: v.optional(v.string()),
  /** Whether a person wrote it. */
  isForPerson: v.optional(v.boolean(), false),
  parent: v.optional(v.object({ run: v.string(), turn: v.number(), call: v.number() })),
  /** Which execution of the parent started it; absent: one of an earlier release, or none did. */
  parentHolder: v.optional(v.number()),
});
type RunInput = v.InferOutput<typeof RunInput>;

/** Where a run comes from: a user, or the call of a parent's turn. */
export interface Origin {
  root?: string;
  parent?: CallKey;
  path: string;
  agent: string;
  /** As in `Run`. */
  owner?: Owned | undefined;
  /** As in `Run`. */
  tags?: Tags | undefined;
  /** As in `Run`. */
  traceparent?: string | undefined;
  depth: number;
  /** The root's, which holds for the whole tree; undefined at the top. */
  maxDepth?: number;
  /** The share of each sub-agent in its parent's time; 0 for all that is left. */
  timeout: Seconds;
  /** The root's, which holds for the whole tree; undefined at the top. */
  budget?: TreeBudget;
  task: string;
  /** As in `RunRequest`. */
  attachments?: Attachment[] | undefined;
  /** As in `RunRequest`. */
  earlier?: Message[] | undefined;
  /** As in `Run`. */
  forkedFrom?: ForkedFrom | undefined;
  message: string;
  /** The end of the message: material rather than a task. */
  input: string;
  /** The conversation that it is derived from, and how it differs; absent: it is opened from its agent's file. */
  derived?: { by: string; from: Opened; differences: Derivation };
  /** The name that others shall call it by, of one that goes on beside its caller; absent: it is waited for. */
  name?: string;
  /** The conversation that it is a copy of; absent: it is no fork. */
  fork?: Opened;
  /** As in `Opened`. */
  isAwaited?: boolean;
  /** Whether its caller is under way no more, and maybe nobody else in its tree. */
  isLate?: boolean;
  /** As in `Opened`, of its caller or, where it is opened once more, its own; absent: none is known. */
  pack?: string | undefined;
  /** The mode of its caller, which it never exceeds. */
  mode?: ToolRules['mode'] | undefined;
  /** The sandbox of its caller, out of which it never reaches. */
  sandbox?: ToolRules['sandbox'];
  /** How the model of its caller serves that, as far as it is served so itself. */
  service?: Service | undefined;
  /** The run whose input this run reads as well. */
  inputOf?: string;
  /** Where its caller's tools act; "" at the top. */
  workdir: string;
  /** Whose files its caller works on; undefined at the top. */
  files?: FileOwner;
  overrides: Overrides;
}

interface OriginPorts extends ApprovalPorts {
  store: Pick<RunReads, 'answer' | 'decision' | 'opened' | 'request' | 'run' | 'turn'>;
}

/**
 * Finds where a run comes from.
 * @throws {AgentError} if the parent's records do not have the call
 */
export async function findOrigin(id: string, input: RunInput, ports: OriginPorts): Promise<Origin> {
  return input.parent === undefined
    ? fromUser(id, input, ports.store)
    : fromParent(input.parent, input, ports);
}

async function fromUser(id: string, input: RunInput, store: OriginPorts['store']): Promise<Origin> {
  const request = await store.request(id);
  const { agent, prompt = '', context = '' } = request ?? input;
  return {
    path: '',
    agent,
    owner: ownerOf(request ?? {}),
    tags: request?.tags,
    traceparent: request?.traceparent,
    depth: input.depth,
    timeout: 0,
    task: prompt || context,
    attachments: request?.attachments,
    earlier: request?.earlier,
    forkedFrom: request?.forkedFrom,
    message: toUserMessage(prompt, context),
    input: context,
    workdir: '',
    overrides: request?.overrides ?? defined({ budget: input.budget, service: input.service }),
  };
}

async function fromParent(from: CallKey, { depth }: RunInput, ports: OriginPorts): Promise<Origin> {
  const { run, turn, call } = from;
  const { store } = ports;
  const [parent, opened, asked] = await Promise.all([
    store.run(run),
    store.opened(run),
    store.turn(run, turn),
  ]);
  const made = asked?.answer.calls[call - 1];
  const planned = asked?.plans[call - 1];
  const isKnown = parent !== undefined && opened !== undefined && made !== undefined && planned !== undefined;
  const plan = isKnown
    ? (await approvedCall({ call: made, plan: planned }, from, opened, ports)).plan
    : undefined;
  if (!isKnown || (plan?.kind !== 'delegate' && plan?.kind !== 'start')) {
    throw new AgentError(`no call ${call} of turn ${turn} of run "${run}" starts this run`);
  }
  const { context = '' } = plan;
  const derived = plan.kind === 'delegate' ? plan.derived : undefined;
  const by = made.name;
  const inputOf = opened.inputOf ?? (opened.inputAt === undefined ? undefined : run);
  return {
    root: parent.root,
    parent: from,
    isLate: !isIn(UNDER_WAY, parent),
    path: childOf(parent, turn, call, plan.agent).path,
    agent: plan.agent,
    owner: ownerOf(parent),
    depth,
    maxDepth: opened.delegation.maxDepth,
    timeout: derived?.seconds ?? opened.delegation.timeout,
    ...defined({ budget: opened.budget }),
    task: plan.task,
    message: derived === undefined ? toSubAgentMessage(plan.task, context) : (derived.message ?? plan.task),
    ...(derived !== undefined && { derived: { by, from: opened, differences: derived } }),
    ...(plan.kind === 'start' && { name: plan.name, ...(startsFork(plan) && { fork: opened }) }),
    isAwaited: opened.isAwaited === true || opened.delegation.ways?.includes('wait') === true,
    ...defined({ pack: opened.pack }),
    mode: opened.rules?.mode,
    ...defined({ sandbox: opened.rules?.sandbox }),
    input: context,
    workdir: opened.workdir ?? '',
    files: defined({ owner: opened.owner, sharesWorkspace: opened.sharesWorkspace }),
    ...(opened.sharesInput && inputOf !== undefined && { inputOf }),
    ...(opened.service === 'batch' && { service: opened.service }),
    overrides: {},
  };
}
