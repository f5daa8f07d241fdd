import { findAgent, statusOf } from '../records/arrivals.ts';
import { callName, type CallKey } from '../records/call.ts';
import { headOf, isThereFor, type Mail } from '../records/mail.ts';
import type { WaitPlan } from '../records/plan.ts';
import type { RunStore } from '../records/ports.ts';
import { nameOf } from '../records/run.ts';
import { defined } from '../../defined.ts';

/** Takes arrived messages out of the mailbox: a message is told once, even if several calls wait for it. */
export async function arrived({ from }: WaitPlan, at: CallKey, root: string, store: RunStore) {
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
