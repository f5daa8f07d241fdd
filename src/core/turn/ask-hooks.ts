import * as v from 'valibot';
import { MAX_PAYLOAD_BYTES, resultText } from '../tool-contracts/call-function.ts';
import type { CallFunction } from '../tool-contracts/tool.ts';
import { isJson, isShallow, type Json } from '../../json.ts';
import { shortened } from '../../shortened.ts';
import { messageOf, StoreUnavailableError } from '../../errors.ts';
import { TimeUpError, withinTime } from '../records/deadline.ts';
import {
  decidedOf,
  HOOK_WORDS,
  type HookSubject,
  type Decided,
  type Hook,
  type HookDecision,
  type HookPoint,
} from '../records/hook.ts';
import type { CallKey } from '../records/call.ts';
import type { Opened } from '../records/opened.ts';
import type { RunStore } from '../records/ports.ts';
import { toMillis, type Instant } from '../records/times.ts';
import { readDecisions } from '../steps/decisions.ts';
import { orAborted } from './or-aborted.ts';
import { defined } from '../../defined.ts';

/** What hooks are told of something. */
interface Told {
  arguments?: Record<string, unknown>;
  result?: string;
  text?: string;
}

/** Something that hooks are asked about. */
interface AskedAbout extends HookSubject {
  run: string;
  turn: number;
  agent: string;
  hooks: readonly Hook[];
  told: Told;
  /** Why no person can be asked, in words; absent: one can. */
  unaskable?: string | undefined;
  /** Why arguments cannot be replaced so, in words; undefined if they can. */
  refuses?(replaced: Record<string, Json>): string | undefined;
}

/** What is the same whenever hooks are asked about a call, or about the text of a turn. */
export function whatOf({ run, turn, call }: CallKey, tool: string, { agent, hooks = [], rules }: Opened) {
  const unaskable = rules?.isSilent && 'it needs approval and nobody can be asked';
  return { run, turn, call, agent, hooks, tool, isEdited: false, ...defined({ unaskable }) };
}

export interface HookPorts {
  store: Pick<RunStore, 'decision' | 'saveDecision'>;
  /** Absent where no functions of the user's own can be called. */
  callFunction: CallFunction | undefined;
  now: () => Instant;
}

const MAX_REASON_CHARACTERS = 2_000;

const Value = v.custom<Json>((value) => isShallow(value) && isJson(value));

/** A hook's answer, in which what it has nothing to say about may be missing or null. */
const Reply = v.object({
  decision: v.picklist(HOOK_WORDS),
  reason: v.nullish(v.string()),
  arguments: v.nullish(v.record(v.string(), Value)),
  result: v.nullish(Value),
  text: v.nullish(v.string()),
});

/** What a hook replaces, by when it is asked. */
const PARTS = { before_call: 'arguments', after_call: 'result', before_answer: 'text' } as const;

/**
 * Asks the hooks that have not decided yet, in order, each about what those before it left, until one denies. What each
 * decides is stored before anything else happens: where it was asked twice, its first decision counts. One that fails or
 * takes too long denies.
 * @throws what `signal` was aborted with, and where the store cannot be reached
 */
export async function askHooks(about: AskedAbout, ports: HookPorts, signal: AbortSignal): Promise<Decided> {
  const { run, turn, call, tool, hooks } = about;
  const kept = await readDecisions({ run, turn, call }, tool, hooks, ports.store);
  for (let decided = decidedOf(about, hooks, kept); ; decided = decidedOf(about, hooks, kept)) {
    const [next] = decided.open;
    if (next === undefined) return decided;
    const [number, hook] = next;
    const { arguments: given, result, text }: Told = decided.replaced ?? {};
    const told = { ...about.told, ...defined({ arguments: given, result, text }) };
    const own = await decisionOf(hook, { ...about, told }, ports, signal);
    const at = { run, turn, call, hook: number, ...(about.isEdited && { isEdited: true }) };
    kept.push({ ...at, decided: await ports.store.saveDecision(at, own) });
  }
}

async function decisionOf(
  hook: Hook,
  about: AskedAbout,
  { callFunction, now }: HookPorts,
  signal: AbortSignal,
): Promise<HookDecision> {
  const began = now();
  const ended = (decided: Omit<HookDecision, 'at' | 'durationMs' | 'hook' | 'on'>): HookDecision => ({
    hook: hook.name,
    on: hook.on,
    ...decided,
    at: new Date(now()).toISOString(),
    durationMs: now() - began,
  });
  const failed = (fault: string) =>
    ended({ decision: 'deny', fault: shortened(fault, MAX_REASON_CHARACTERS) });
  if (callFunction === undefined) return failed('functions cannot be called here');
  const { on, run, agent, tool, told } = about;
  const event = { on, run_id: run, agent, ...(tool !== '' && { tool }), ...told };
  if (Buffer.byteLength(JSON.stringify(event)) > MAX_PAYLOAD_BYTES)
    return failed('what it is asked is larger than 6 MB');
  try {
    const answer = await withinTime(toMillis(hook.seconds), signal, (untilThen) => {
      const { function: name, source, seconds } = hook;
      const asked = { name, source, arguments: event, seconds, signal: untilThen, tell: () => {} };
      return orAborted(callFunction(asked), untilThen);
    });
    if ('failed' in answer) return failed(answer.failed);
    const reply = v.safeParse(Reply, answer.value);
    if (!reply.success)
      return failed(`it answered with something that is no decision: ${reply.issues[0].message}`);
    return toDecision(reply.output, about, ended, failed);
  } catch (thrown) {
    if (thrown instanceof TimeUpError) return failed(`it did not answer within ${hook.seconds}s`);
    if (signal.aborted || thrown instanceof StoreUnavailableError) throw thrown;
    return failed(messageOf(thrown));
  }
}

function toDecision(
  reply: v.InferOutput<typeof Reply>,
  { on, unaskable, refuses }: AskedAbout,
  ended: (decided: Omit<HookDecision, 'at' | 'durationMs' | 'hook' | 'on'>) => HookDecision,
  failed: (fault: string) => HookDecision,
): HookDecision {
  const { decision } = reply;
  const reason = reply.reason?.trim()
    ? { reason: shortened(reply.reason.trim(), MAX_REASON_CHARACTERS) }
    : {};
  if (decision === 'ask' && unaskable !== undefined) return ended({ decision: 'deny', reason: unaskable });
  if (decision !== 'replace') return ended({ decision, ...reason });
  const part = partOf(on, reply);
  if (part === undefined) return failed(`it replaced nothing: its answer has no "${PARTS[on]}"`);
  const refusal = part.arguments === undefined ? undefined : refuses?.(part.arguments);
  if (refusal !== undefined)
    return ended({ decision: 'deny', reason: shortened(refusal, MAX_REASON_CHARACTERS) });
  return ended({ decision, ...reason, ...part });
}

function partOf(
  on: HookPoint,
  reply: v.InferOutput<typeof Reply>,
): Pick<HookDecision, 'arguments' | 'result' | 'text'> | undefined {
  const { arguments: given, result, text } = reply;
  if (on === 'before_call') return given ? { arguments: given } : undefined;
  if (on === 'before_answer') return typeof text === 'string' ? { text: text.toWellFormed() } : undefined;
  return result === undefined || result === null ? undefined : { result: resultText(result).toWellFormed() };
}
