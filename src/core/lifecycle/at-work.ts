import { endedCaller } from './ended-caller.ts';
import { isUnread, toTell, type Mail } from '../records/mail.ts';
import type { RunStore } from '../records/ports.ts';
import { ANSWERED, DEAD, UNDER_WAY, isIn, phaseOf } from '../records/phase.ts';
import { runsBelow, type Run } from '../records/run.ts';

/** Agents that write to each other may do so for ever; between two messages of people they wake so many. */
export const MAX_WAKES = 100;

/** The message that gives an agent another turn if it goes on now; undefined: it would be told of nothing. */
export async function mailToGoOnFor(
  run: Run,
  store: Pick<RunStore, 'mails' | 'opened' | 'turns'>,
): Promise<Mail | undefined> {
  if (!run.hasMail) return undefined;
  const [mails, turns, opened] = await Promise.all([
    store.mails(run.id),
    store.turns(run.id),
    store.opened(run.id),
  ]);
  const told = toTell(mails, turns, opened?.tools ?? []);
  const fresh = mails.filter((mail) => isUnread(mail) && (told.isNotice || told.ids.includes(mail.id)));
  const newest = fresh.toReversed();
  // A person's comes first: it gives the agent time of its own. A report needs no answer.
  return (
    newest.find(({ from }) => from === undefined) ?? newest.find(({ kind }) => kind !== 'report') ?? newest[0]
  );
}

export async function hasToGoOn(run: Run, store: RunStore): Promise<boolean> {
  return (await mailToGoOnFor(run, store)) !== undefined;
}

/** Those of the runs that rest and are about to go on: they have been written to, and somebody starts them. */
export async function writtenTo(
  runs: readonly Run[],
  tree: readonly Run[],
  store: RunStore,
): Promise<{ run: Run; mail: Mail }[]> {
  const mayWake = (tree.find(({ path }) => path === '')?.woken?.length ?? 0) < MAX_WAKES;
  const records = { run: async (id: string) => tree.find((one) => one.id === id) };
  const resting = runs.filter((one) => one.hasMail && !isIn(UNDER_WAY, one) && phaseOf(one) !== 'killed');
  const found = await Promise.all(
    resting.map(async (one) => {
      const mail = await mailToGoOnFor(one, store);
      if (mail === undefined || isForNobody(mail, one)) return [];
      const isWanted = mail.from === undefined ? isUntried(mail, one) : mayWake && hasAnswered(one);
      return isWanted && (await endedCaller(one, records)) === undefined ? [{ run: one, mail }] : [];
    }),
  );
  return found.flat();
}

/** Whether a message is left for later: nobody counts any more on what the top of a tree makes of a report. */
export function isForNobody({ kind }: Pick<Mail, 'kind'>, { parent, status }: Run): boolean {
  return kind === 'report' && parent === undefined && isIn(ANSWERED, { status });
}

function hasAnswered({ status }: Run): boolean {
  return status === 'succeeded' || status === 'idle';
}

/** One that ended without an answer goes on for what was written to it afterwards, and not for that once more. */
function isUntried({ sentAt }: Mail, run: Run): boolean {
  return hasAnswered(run) || sentAt > (run.endedAt ?? '');
}

/** Forks below an agent that are being started: they have a name, and no record yet. */
export async function startingForks(
  run: Pick<Run, 'id' | 'path'>,
  tree: readonly Run[],
  store: RunStore,
): Promise<{ id: string; path: string }[]> {
  const named = await store.namedRuns(run.id);
  return runsBelow(run, named).filter(({ id }) => tree.every((one) => one.id !== id));
}

/**
 * Whether anything below an agent may still do something: agents at work, others that have been written to and are
 * about to go on, and forks that are being started.
 */
export async function isAnyAtWork(run: Run, tree: readonly Run[], store: RunStore): Promise<boolean> {
  const below = runsBelow(run, tree);
  if (below.some(({ status }) => status === 'running')) return true;
  if ((await writtenTo(below, tree, store)).length > 0) return true;
  const dead = tree.filter((one) => isIn(DEAD, one));
  const starting = await startingForks(run, tree, store);
  return starting.some((fork) => dead.every((one) => runsBelow(one, [fork]).length === 0));
}
