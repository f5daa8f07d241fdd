import { isAnyAtWork } from '../lifecycle/due.ts';
import type { Mail, MailNews } from '../records/mail.ts';
import type { RunStore } from '../records/ports.ts';
import type { Run } from '../records/run.ts';
import type { Instant } from '../records/times.ts';
import type { TimedTurnInput } from './turn-input.ts';
import { waitUntil, type TurnWait } from './wait.ts';

/** Agents that were started together often end together: so long, an end waits for others. */
const TOGETHER_MS = 2_000;

/**
 * Has the turn of an agent that nothing but ends of others have woken wait for more of them, as long as any other is at
 * work.
 */
export async function moreEnds(
  run: Run,
  { mails, news }: { mails: readonly Mail[]; news: MailNews },
  input: TimedTurnInput,
  { store, now }: { store: RunStore; now: () => Instant },
): Promise<TurnWait | undefined> {
  const told = mails.filter(({ id }) => news.ids.includes(id));
  if (told.length === 0 || news.noticed.length > 0 || told.some(({ kind }) => kind !== 'end'))
    return undefined;
  const until = Math.max(...told.map(({ sentAt }) => Date.parse(sentAt))) + TOGETHER_MS;
  if (until <= now()) return undefined;
  // Those that have told of their ends are about to record them.
  const tree = (await store.tree(run.root)).map((one): Run =>
    told.some(({ from }) => from === one.id) ? { ...one, status: 'idle' } : one,
  );
  return (await isAnyAtWork(run, tree, store)) ? waitUntil(until, input) : undefined;
}

/** Whether any agent that works beside one, or below one that does, may still bring it news. */
export async function isAnyBeside(run: Run, store: RunStore): Promise<boolean> {
  return isAnyAtWork(run, await store.tree(run.root), store);
}
