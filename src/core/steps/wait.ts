import { earliest, later, offTreeClock, toMillis } from '../records/times.ts';
import { findAgent, statusOf } from '../records/arrivals.ts';
import { callName, type CallKey } from '../records/call.ts';
import { childDeadline, secondsUntil } from '../records/deadline.ts';
import { headOf, isThereFor, type Mail } from '../records/mail.ts';
import type { WaitPlan } from '../records/plan.ts';
import type { RunStore } from '../records/ports.ts';
import { nameOf } from '../records/run.ts';
import { ASK } from './ask.ts';
import type { Kind } from './kind.ts';
import { counted } from '../../counted.ts';
import { defined } from '../../defined.ts';

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
    const kept =
      (await store.callResult(at)) ??
      (await store.saveCallResult(at, {
        text: JSON.stringify(await arrived(plan, at, run.root, store)),
        isError: false,
        startedAt: new Date(now).toISOString(),
        durationMs: 0,
      }));
    waited?.('messages', Date.parse(kept.startedAt));
    return { callId: call.id, name: call.name, text: kept.text, isError: false };
  },
} satisfies Kind<WaitPlan>;

/** Takes arrived messages out of the mailbox: a message is told once, even if several calls wait for it. */
async function arrived({ from }: WaitPlan, at: CallKey, root: string, store: RunStore) {
  const mails = (await store.mails(at.run)).filter((mail) => mail.from !== undefined);
  const take = async (mail: Mail) => store.takeMail(at.run, mail.id, callName(at));
  const first = async (candidates: readonly Mail[]) => {
    for (const mail of candidates) if (await take(mail)) return toMessage(mail);
    return undefined;
  };
  const open = mails.filter((mail) => isThereFor(mail, at));
  if (from === undefined) return (await first(open)) ?? { status: 'timeout' };
  const tree = await store.tree(root);
  const results = [];
  for (const wanted of from) {
    const agent = findAgent(tree, wanted);
    const message = await first(open.filter((mail) => mail.from === agent?.id));
    results.push({
      agent_uuid: agent?.id ?? wanted,
      agent_name: agent === undefined ? '' : nameOf(agent),
      status: message === undefined ? statusOf(agent) : 'received',
      ...defined({ message }),
    });
  }
  const [only] = results;
  return results.length === 1 && only?.message !== undefined ? only.message : { results };
}

function toMessage(mail: Mail) {
  return { ...headOf(mail), body: mail.body };
}
