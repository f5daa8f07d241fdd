import { earliest, later, offTreeClock, toMillis } from '../records/times.ts';
import type { CallKey } from '../records/call.ts';
import { childDeadline, secondsUntil } from '../records/deadline.ts';
import type { WaitPlan } from '../records/plan.ts';
import { ASK } from './ask.ts';
import type { Kind } from './kind.ts';
import { counted } from '../../counted.ts';

/** A wait for other agents: a state that waits for a token, and messages that are in the store before it comes. */
export const WAIT_FOR_MAIL = {
  atOnce: () => Infinity,
  startedRun: () => undefined,
  costs: ASK.costs,

  async toStep({ seconds, from = [] }, { run, turn, call, tool, store, deadline, now, paused, isRepeated }) {
    const isKept = isRepeated && (await store.callResult({ run: run.id, turn, call })) !== undefined;
    if (isKept) return undefined;
    const latest = earliest(childDeadline(now, deadline), later(now, toMillis(seconds)));
    return {
      kind: 'ask',
      call,
      tool,
      subject: `${seconds}s, ${from.length === 0 ? 'any agent' : counted(from.length, 'agent')}`,
      wait: { deadline: offTreeClock(latest, paused), timeout: secondsUntil(latest, now) },
    };
  },

  async toResult(call, plan, { run, turn, call: number, store, now, waited }) {
    const at: CallKey = { run: run.id, turn, call: number };
    // Few runs wait, and functions start faster without it.
    const text = async () =>
      JSON.stringify(await (await import('./arrived.ts')).arrived(plan, at, run.root, store));
    const kept =
      (await store.callResult(at)) ??
      (await store.saveCallResult(at, {
        text: await text(),
        isError: false,
        startedAt: new Date(now).toISOString(),
        durationMs: 0,
      }));
    waited?.('messages', Date.parse(kept.startedAt));
    return { callId: call.id, name: call.name, text: kept.text, isError: false };
  },
} satisfies Kind<WaitPlan>;
