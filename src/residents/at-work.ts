import { toTell, type Told, NOTHING_TOLD } from '../runs/mail.ts';
import type { RunStore } from '../runs/ports.ts';
import { runsBelow, type Run } from '../runs/run.ts';

/** What an agent would be told of its mailbox if it went on now. */
export async function toldNext(run: Run, store: RunStore): Promise<Told> {
  if (!run.hasMail) return NOTHING_TOLD;
  const [mails, turns, opened] = await Promise.all([
    store.mails(run.id),
    store.turns(run.id),
    store.opened(run.id),
  ]);
  return toTell(mails, turns, opened?.tools ?? []);
}

export async function hasToGoOn(run: Run, store: RunStore): Promise<boolean> {
  return (await toldNext(run, store)).texts.length > 0;
}

/**
 * Whether anything below an agent may still come to something: agents at work, idle ones that have been written to
 * and are about to go on, and forks that are being started.
 */
export async function isAnyAtWork(run: Run, tree: readonly Run[], store: RunStore): Promise<boolean> {
  const below = runsBelow(run, tree);
  if (below.some(({ status }) => status === 'running')) return true;
  const idle = below.filter(({ status }) => status === 'idle');
  const going = await Promise.all(idle.map((each) => hasToGoOn(each, store)));
  if (going.includes(true)) return true;
  const starting = (await store.namedRuns(run.id)).filter(({ id }) => tree.every((one) => one.id !== id));
  return runsBelow(run, starting).length > 0;
}
