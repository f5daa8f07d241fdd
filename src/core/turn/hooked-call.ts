import { isApproved } from '../records/approval.ts';
import type { CallKey, CallResult } from '../records/call.ts';
import { hookDenial, hooksAbout, resultAfter, type Decided, type WithheldResult } from '../records/hook.ts';
import type { ToolCall } from '../records/message.ts';
import type { Opened } from '../records/opened.ts';
import { isHeldBack, isHooked, isOfTools, type Plan } from '../records/plan.ts';
import type { RunStore } from '../records/ports.ts';
import type { Answer } from '../records/question.ts';
import { readDecisions } from '../steps/decisions.ts';
import { seconds, type Seconds } from '../records/times.ts';
import type { LoadOwnTools } from '../tool-contracts/own-tools.ts';
import { loadTools } from '../tool-contracts/toolbox.ts';
import { changedCall } from './approved-call.ts';
import { askHooks, whatOf, type HookPorts } from './ask-hooks.ts';

// A call that hooks are asked about, in the function that can call users' functions.

/** A call whose hooks are asked. */
interface HookedCall {
  at: CallKey;
  call: ToolCall;
  plan: Plan;
  opened: Opened;
  /** Of its turn, with their plans. */
  calls: readonly ToolCall[];
  plans: readonly Plan[];
}

interface HookedPorts extends HookPorts {
  store: RunStore;
  tools: LoadOwnTools;
}

/** The hooks of a call, where it is carried out or, if that is done elsewhere, where they are asked. */
interface HooksOfCall {
  /**
   * Asks those that come before it.
   * @returns its result, if it is not made or was made before; undefined if it is to be made now; `waits` if there is
   * nothing more to do for it here and now
   */
  before(): Promise<CallResult | 'waits' | undefined>;
  /**
   * Asks those that come after it.
   * @param call as it was made
   * @returns undefined if a person is to decide about it
   */
  after(call: ToolCall, result: CallResult): Promise<CallResult | undefined>;
  /** The longest that the latter takes; 0: there are none. */
  secondsAfter: Seconds;
}

export function hooksOfCall(hooked: HookedCall, ports: HookedPorts, signal: AbortSignal): HooksOfCall {
  const { at, call, plan, opened } = hooked;
  const { store } = ports;
  const isHere = isOfTools(plan);

  async function finish(made: ToolCall, withheld: WithheldResult): Promise<CallResult | undefined> {
    const answer = await store.answer(at);
    const decided = await askAfter({ ...hooked, call: made }, withheld, answer, ports, signal);
    if (waits(decided, answer)) return undefined;
    const changed = resultAfter(call.name, decided);
    if (changed === undefined) return withheld;
    const { whole: _, attachments: __, ...rest } = withheld;
    return { ...rest, ...changed };
  }

  return {
    secondsAfter: isHere ? secondsOf(call.name, opened) : seconds(0),
    async before() {
      // The function that carries it out finds what was decided.
      if (!isHere && ports.callFunction === undefined) return undefined;
      if (isHere && (await isBehindAsked(hooked, store))) return 'waits';
      if (!isHooked(plan)) return undefined;
      const withheld = await store.withheldResult(at);
      if (withheld !== undefined) {
        const result = await finish(call, withheld);
        return isHere && result !== undefined ? result : 'waits';
      }
      const answer = await store.answer(at);
      const decided = await askBefore(hooked, answer, ports, signal);
      if (!isHere || waits(decided, answer)) return 'waits';
      if (decided.denied === undefined) return undefined;
      const text = hookDenial(call.name, decided.denied);
      const startedAt = new Date(ports.now()).toISOString();
      return { text, isError: true, failure: 'permission_denied', startedAt, durationMs: 0 };
    },
    after: async (made, result) => finish(made, await store.withholdResult(at, result)),
  };
}

/** The longest that the hooks after a tool's calls take. */
function secondsOf(tool: string, { hooks = [] }: Pick<Opened, 'hooks'>): Seconds {
  const after = hooksAbout({ on: 'after_call', tool }, hooks);
  return seconds(after.reduce((sum, [, hook]) => sum + hook.seconds, 0));
}

/** Whether a person is to decide first. */
function waits({ denied, isAsked }: Decided, answer: Answer | undefined): boolean {
  return denied === undefined && isAsked && !isApproved(answer);
}

async function askBefore(
  { at, call, plan, opened }: HookedCall,
  answer: Answer | undefined,
  ports: HookedPorts,
  signal: AbortSignal,
): Promise<Decided> {
  const edited = isApproved(answer) ? answer?.arguments : undefined;
  const isWait = plan.kind === 'ask' || plan.kind === 'wait';
  const tools = await loadTools(opened, ports.tools, [call.name]);
  // The answer was given to another call.
  const isStanding = answer?.decision === 'always' && (await ports.store.question(at)) === undefined;
  const about = {
    ...whatOf(at, call.name, opened),
    ...(isStanding && {
      unaskable: 'it needs approval, and what was approved for the rest of the run is none',
    }),
    // These wait for others by themselves: there is one question to a call, and one wait.
    ...(isWait && { unaskable: 'it needs approval, and waits for somebody itself' }),
    on: 'before_call' as const,
    isEdited: edited !== undefined,
    told: { arguments: edited ?? call.arguments },
    refuses(changed: ToolCall['arguments']) {
      if (isWait) return `the arguments of ${call.name} cannot be replaced`;
      const { plan: other } = changedCall({ call, plan }, changed, opened, tools);
      // Of a call that is carried out here, the model reads why the rules refuse it.
      if (other.kind === plan.kind || isOfTools(plan)) return undefined;
      return other.kind === 'done' ? other.text : 'it put arguments that lead elsewhere';
    },
  };
  return askHooks(about, ports, signal);
}

async function askAfter(
  { at, call, opened }: HookedCall,
  { text, startedAt }: WithheldResult,
  answer: Answer | undefined,
  ports: HookedPorts,
  signal: AbortSignal,
): Promise<Decided> {
  const about = {
    ...whatOf(at, call.name, opened),
    on: 'after_call' as const,
    told: { arguments: call.arguments, result: text },
    // A call has one question.
    ...(answer !== undefined &&
      answer.at <= startedAt && {
        unaskable: 'it needs approval, and a person has been asked about it before',
      }),
  };
  return askHooks(about, ports, signal);
}

/**
 * Whether a call has to wait because hooks put one in front of it before a person, and the two may not be made at the same
 * time.
 */
async function isBehindAsked(
  { at: { run, turn, call }, plans, calls, opened }: HookedCall,
  store: RunStore,
): Promise<boolean> {
  const isOpen = await Promise.all(
    plans.slice(0, call - 1).map(async (plan, index) => {
      const at = { run, turn, call: index + 1 };
      if (!isHooked(plan) || !isOfTools(plan)) return false;
      const decisions = await readDecisions(at, calls[index]?.name ?? '', opened.hooks, store);
      if (!decisions.some(({ decided }) => decided.decision === 'ask')) return false;
      const [answer, result] = await Promise.all([store.answer(at), store.callResult(at)]);
      return result === undefined && (answer === undefined || isApproved(answer));
    }),
  );
  return isOpen.includes(true) && isHeldBack(plans, call - 1, (index) => isOpen[index] !== true);
}
