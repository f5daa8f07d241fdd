import {
  offTreeClock,
  seconds,
  shortest,
  toMillis,
  type Instant,
  type Seconds,
  timeBetween,
} from '../records/times.ts';
import * as v from 'valibot';
import type { AgentSource } from '../agent-schema/agent-source.ts';
import { AgentError, messageOf, StoreUnavailableError } from '../../errors.ts';
import { callName, type CallFailure, type CallKey, type CallMark, type CallResult } from '../records/call.ts';
import { pausedAt } from '../records/clock.ts';
import { TimeUpError, withinTime } from '../records/deadline.ts';
import { callIdentity, callOutputEvent, type CallIdentity } from '../events/event.ts';
import type { LiveBus } from '../events/live.ts';
import type { ToolCall } from '../records/message.ts';
import { isHooked } from '../records/plan.ts';
import type { RunStore } from '../records/ports.ts';
import type { Opened } from '../records/opened.ts';
import { ownerKeyOf } from '../records/owner.ts';
import { RESULTS_FOLDER } from '../records/results-folder.ts';
import type { Run } from '../records/run.ts';
import { timeoutText, UNKNOWN_OUTCOME } from '../steps/lost-call.ts';
import { subjectOf } from '../tool-contracts/permissions.ts';
import { isNamed, mayShow, refusalInPlace, refusalToFollow } from '../tool-contracts/permissions-in-place.ts';
import type { LoadOwnTools } from '../tool-contracts/own-tools.ts';
import {
  MAX_RESULT_CHARACTERS,
  type Tool,
  type ToolContext,
  type ToolOutput,
} from '../tool-contracts/tool.ts';
import { heldTo } from '../tool-contracts/skills-in-use.ts';
import { loadTools, type Toolbox } from '../tool-contracts/toolbox.ts';
import { approvedCall, type ApprovedCall } from './approved-call.ts';
import { approvedWorkspace } from './approved-workspace.ts';
import { cutMiddle } from './cut-text.ts';
import { DEADLINE, CLAIM, holdRun, isHeldBy, SECONDS } from './hold.ts';
import { keepWhole } from './long-result.ts';
import { orAborted } from './or-aborted.ts';
import { defined } from '../../defined.ts';

const CallInput = v.object({
  ...CLAIM,
  turn: v.number(),
  /** Which call of the turn, from 1; 0: its text, which hooks are asked about. */
  call: v.number(),
  /** Seconds that it may take. */
  timeout: SECONDS,
  /** Of the run. */
  deadline: DEADLINE,
  /** As in `TurnInput`. */
  patience: v.optional(SECONDS, 0),
});
type CallInput = v.InferOutput<typeof CallInput>;

export interface CallPorts {
  store: RunStore;
  tools: LoadOwnTools;
  /** Hears the output of calls; absent where nothing listens. */
  live?: LiveBus | undefined;
  now: () => Instant;
  /** A name of this invocation that no other has. */
  invocation: () => string;
  /** Whether the invocation that left a mark may be at work still. */
  mayBeAtWork(mark: CallMark): boolean;
  /** Waits; thrown out of where the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** The ports of a run's tools, except for those that each call has of its own. */
  reach(
    run: Run,
    opened: Opened,
    /** With the time of the answer that has it, which repetitions have, too. */
    at: CallKey & { answeredAt: string },
  ): Omit<
    ToolContext,
    | 'owner'
    | 'resultPath'
    | 'signal'
    | 'tell'
    | 'seen'
    | 'allowedHosts'
    | 'mayShow'
    | 'mayChange'
    | 'refusalToFollow'
  >;
  /** As agents' source has it; absent where nothing that runs can change an agent. */
  isAgentFile?: AgentSource['isAgentFile'];
}

/** How often a result is looked for that another process may be about to keep. */
const POLL_MS = 250;

/**
 * Carries out one call of a turn, once, and keeps its result before the machine goes on. A repetition finds the result.
 * Where a call was begun and left none, it is made again only if its tool is repeatable; else the model reads that its
 * fate is unknown.
 * @param signal aborted when the run is stopped, or the time of this function is over
 * @returns nothing but which call it was: texts are in the store
 */
export async function carryOutCall(
  event: unknown,
  ports: CallPorts,
  signal: AbortSignal,
): Promise<{ call: number }> {
  const input = v.parse(CallInput, event);
  if (input.call === 0) {
    await (await import('./ask-about-text.ts')).askAboutText(input, ports, signal);
    return { call: 0 };
  }
  const { store } = ports;
  const at: CallKey = { run: input.run, turn: input.turn, call: input.call };
  const [run, opened, turn, kept, clock] = await Promise.all([
    store.run(at.run),
    store.opened(at.run),
    store.turn(at.run, at.turn),
    store.callResult(at),
    input.patience > 0 ? store.clock(at.run) : undefined,
  ]);
  const call = turn?.answer.calls[at.call - 1];
  const plan = turn?.plans[at.call - 1];
  const isMissing = run === undefined || opened === undefined || turn === undefined || call === undefined;
  if (isMissing || plan === undefined || (plan.kind !== 'invoke' && !isHooked(plan))) {
    throw new AgentError(`turn ${at.turn} of run "${at.run}" has no call ${at.call} to carry out`);
  }
  const done = { call: at.call };
  if (kept !== undefined) return done;
  // An execution that was redriven goes on in the middle of a turn.
  const held = await holdRun(run, input, turn.at, ports);
  if (held?.status !== 'running') return done;
  const reach = ports.reach(run, opened, { ...at, answeredAt: turn.at });
  const hooks = turn.plans.some(isHooked)
    ? (await import('./hooked-call.ts')).hooksOfCall(
        { at, call, plan, opened, calls: turn.answer.calls, plans: turn.plans },
        { ...ports, callFunction: reach.callFunction },
        signal,
      )
    : undefined;
  const passed = await hooks?.before();
  if (passed === 'waits' || plan.kind !== 'invoke') return done;
  if (typeof passed === 'object') {
    await store.saveCallResult(at, passed);
    return done;
  }
  const approved = await approvedCall({ call, plan }, at, opened, ports);
  const end = offTreeClock(input.deadline, pausedAt(clock, ports.now()));
  const ownSeconds = hooks === undefined ? input.timeout : shortest(plan.seconds, input.timeout);
  const until: Instant = Math.min(end, ports.now() + toMillis(ownSeconds));
  const mark = { by: ports.invocation(), until: until + toMillis(hooks?.secondsAfter ?? seconds(0)) };
  const begun = await begin(input, mark, plan.isRepeatable, ports, signal);
  if (begun === 'done') return done;
  const startedAt = begun === 'lost' ? ports.now() : begun.at;
  const identity = callIdentity(turn, at.call);
  const isShown = hooks === undefined || hooks.secondsAfter === 0;
  const performed = { run, opened, identity, seconds: ownSeconds, until, reach, isShown };
  try {
    const output =
      begun === 'lost'
        ? failed('outcome_unknown', `Error: ${UNKNOWN_OUTCOME}`)
        : await perform(approved, performed, ports, signal);
    const { attachments: files = [] } = output;
    const attachments = files.length === 0 ? [] : await (await loadKeep()).keepShown(opened, files, store);
    const made = {
      ...toResult(output, startedAt, ports.now()),
      ...(attachments.length > 0 && { attachments }),
    };
    const result = isShown ? made : await hooks.after(approved.call, made);
    if (result !== undefined) await store.saveCallResult(at, result);
    return done;
  } catch (thrown) {
    // Other processes need not wait for this invocation any more.
    if (begun !== 'lost') await store.markCall(at, { ...begun, until: 0 }, begun).catch(() => {});
    throw thrown;
  }
}

/** Few results have anything attached. */
const loadKeep = () => import('../attachments/keep.ts');

function toResult(output: Performance, startedAt: number, endedAt: number): CallResult {
  const { text, isError, whole, skill, failure, nanoUsd, filesRead, filesModified } = output;
  return {
    // Functions can answer with halves of characters, and providers refuse every request that has one in it.
    text: text.toWellFormed(),
    isError: isError ?? false,
    ...defined({ whole, skill }),
    ...(isError && { failure: failure ?? 'refused' }),
    startedAt: new Date(startedAt).toISOString(),
    durationMs: endedAt - startedAt,
    ...defined({ nanoUsd, filesRead, filesModified }),
  };
}

/** The execution that carries the run now looks after its calls; and one that has ended begins nothing. */
function mayBegin(run: Run, claim: CallInput): boolean {
  return isHeldBy(run, claim) && run.status === 'running';
}

/**
 * Marks a call as begun by this invocation.
 * @returns its mark; `lost` where another one began it and cannot be asked how it ended; `done` where that one kept a result, or
 * the run has ended or changed hands while that one was waited for
 */
async function begin(
  input: CallInput,
  own: Omit<CallMark, 'at'>,
  isRepeatable: boolean,
  { store, now, mayBeAtWork, sleep }: CallPorts,
  signal: AbortSignal,
): Promise<Required<CallMark> | 'lost' | 'done'> {
  const at: CallKey = { run: input.run, turn: input.turn, call: input.call };
  let begun = { ...own, at: now() };
  let mark = await store.markCall(at, begun);
  while (mark.by !== own.by) {
    while (now() < mark.until && mayBeAtWork(mark)) {
      if ((await store.callResult(at)) !== undefined) return 'done';
      await sleep(POLL_MS, signal);
    }
    const [run, kept] = await Promise.all([store.run(at.run), store.callResult(at)]);
    if (kept !== undefined || run === undefined || !mayBegin(run, input)) return 'done';
    if (!isRepeatable) return 'lost';
    begun = { ...own, at: now() };
    mark = await store.markCall(at, begun, mark);
  }
  return begun;
}

interface Performed {
  run: Run;
  opened: Opened;
  identity: CallIdentity;
  seconds: Seconds;
  until: Instant;
  reach: ReturnType<CallPorts['reach']>;
  /** Whether its output may be shown before hooks have been asked about it. */
  isShown: boolean;
}

/** Has the tool do it, within its time. Failures are told to the model, unless the run itself was stopped. */
async function perform(
  { call, plan, changes, isApproved }: ApprovedCall,
  { run, opened, identity, seconds, until, reach, isShown }: Performed,
  ports: CallPorts,
  signal: AbortSignal,
): Promise<Performance> {
  const held = plan.kind === 'invoke' ? plan.skills : undefined;
  const { named, permissions } = heldTo(
    await loadTools(opened, ports.tools, [call.name]),
    opened.skills,
    held,
  );
  const tool = named(call.name);
  if (tool === undefined) return failed('fault', `Error: there is no tool "${call.name}" any more`);
  if (plan.kind === 'done') return failed('permission_denied', `${changes}${plan.text}`);
  const at: CallKey = { run: run.id, turn: identity.turn, call: identity.call };
  const workspace = isApproved
    ? await approvedWorkspace({ tool, call }, at, reach.workspace, ports.store)
    : reach.workspace;
  const context: Omit<ToolContext, 'signal'> = {
    ...reach,
    owner: ownerKeyOf(run),
    workspace,
    seen: {
      version: (path) => seenVersion(run.id, path, opened, ports.store),
      note: (path, version) => ports.store.noteSeen(run.id, path, version),
    },
    mayShow: (path) => mayShow(tool, path, permissions, isApproved),
    mayChange: async (path) =>
      ports.isAgentFile === undefined ||
      !(await ports.isAgentFile(await reach.workspace.absolutePath(path))) ||
      isNamed(tool, path, permissions),
    refusalToFollow: (address) => refusalToFollow(tool, address, permissions),
    allowedHosts: opened.rules?.allowedHosts ?? [],
    resultPath: `${RESULTS_FOLDER}/${run.id}-${callName(identity)}.txt`,
    tell: (text) => void (isShown && ports.live?.tell(callOutputEvent(run, identity, text))),
  };
  try {
    return await withinTime(timeBetween(ports.now(), until), signal, async (untilThen) => {
      const inTime = { ...context, signal: untilThen };
      const work = performPermitted(tool, call, permissions, isApproved, inTime);
      const made = await orAborted(work, untilThen);
      const output = { ...made, text: `${changes}${made.text}` };
      if (output.text.length <= MAX_RESULT_CHARACTERS) return output;
      // A file could be read, whatever hooks say to the result.
      if (!isShown) return { ...output, text: cutMiddle(output.text, MAX_RESULT_CHARACTERS) };
      return { ...output, ...(await keepWhole(output.text, inTime, opened.tools)) };
    });
  } catch (thrown) {
    if (thrown instanceof TimeUpError) {
      const text = timeoutText(call.name, seconds);
      return failed('timeout', tool.isRepeatable ? text : `${text}. ${UNKNOWN_OUTCOME}`);
    }
    // Its result cannot be kept now: the machine tries it again.
    if (signal.aborted || thrown instanceof StoreUnavailableError) throw thrown;
    return failed('fault', `Error: ${call.name} failed - ${messageOf(thrown)}`);
  }
}

async function performPermitted(
  tool: Tool,
  call: ToolCall,
  permissions: Toolbox['permissions'],
  isApproved: boolean,
  context: ToolContext,
): Promise<Performance> {
  const subject = subjectOf(tool, call.arguments);
  const refusal = await refusalInPlace(tool, subject, permissions, context.workspace, isApproved);
  if (refusal !== undefined) return failed('permission_denied', refusal);
  return tool.run(call.arguments, context);
}

/** The result of a call, with where the whole of it is. */
type Performance = ToolOutput & { whole?: string };

function failed(failure: CallFailure, text: string): Performance {
  return { text, isError: true, failure };
}

/** Files that an inherited conversation has read count as read: their texts are in this one. */
async function seenVersion(
  run: string,
  path: string,
  { history = [] }: Opened,
  store: RunStore,
): Promise<string | undefined> {
  for (const id of [run, ...history.map((segment) => segment.run).reverse()]) {
    const version = await store.seenVersion(id, path);
    if (version !== undefined) return version;
  }
  return undefined;
}
