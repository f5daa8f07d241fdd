import { isUnread, type MailWait } from '../records/mail.ts';
import { AT_WORK, OPEN, isIn } from '../records/phase.ts';
import type { RunStore } from '../records/ports.ts';
import type { Run } from '../records/run.ts';
import type { Turn } from '../records/turn.ts';
import { dueRuns, isAnyAtWork, wakes } from './due.ts';
import { letterOf } from './letter.ts';
import type { StartingPorts } from './ports.ts';
import { putMail, type Letter } from './put-mail.ts';
import { wakeFor } from './start-again.ts';

// An agent beside its caller has not ended while others below it are at work, even if it has answered: they may write
// to it, and it would answer again. If they end without a word to it, its answer was its last, and the process that
// ends them tells of it.

/** Notes that the end of an agent that is about to be idle is told later: others below it are at work. */
export async function holdEndBack(run: Run, turns: readonly Turn[], store: RunStore): Promise<void> {
  await store.saveMailWait({ run: run.id, isEnd: true, token: `${run.holder}#${turns.length}` });
}

/**
 * Tells of a held-back end once nothing below the agent is at work any more. The note is removed last, so that another
 * process can finish what a dead one began.
 * @returns whether the end is not held back any longer
 */
export async function tellIfDone(
  wait: MailWait,
  tree: readonly Run[],
  ports: StartingPorts,
): Promise<boolean> {
  const { store } = ports;
  const run = tree.find(({ id }) => id === wait.run);
  // One that works on comes here again.
  if (run === undefined || isIn(AT_WORK, run)) return false;
  if (isIn(OPEN, run)) {
    if (await isToGoOn(run, tree, store)) return false;
    const turns = await store.turns(run.id);
    const { holder, endedAt } = (await store.run(run.id)) ?? run;
    if (holder !== run.holder || endedAt !== run.endedAt) return false;
    const letter = await letterOf(run, turns, ports);
    if (letter !== undefined) await send(letter, ports);
  }
  await store.deleteMailWait(wait);
  return true;
}

/** Whether anything below an idle agent is at work, or the agent itself is about to be, as long as its tree has time. */
async function isToGoOn(run: Run, tree: readonly Run[], store: RunStore): Promise<boolean> {
  if (await isAnyAtWork(run, tree, store)) return true;
  const hasTime = tree.some(({ path, ...top }) => path === '' && isIn(OPEN, top));
  return hasTime && (await dueRuns([run], tree, store)).length > 0;
}

async function send({ to, mail, key }: Letter, ports: StartingPorts): Promise<void> {
  const kept = await putMail(to, mail, key, ports.store);
  const reader = isUnread(kept) ? await ports.store.run(to.id) : undefined;
  if (reader !== undefined && wakes(mail, reader)) await wakeFor(mail, reader, ports);
}
