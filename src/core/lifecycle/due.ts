import type { CallKey } from '../records/call.ts';
import { endedCaller } from './ended-caller.ts';
import { isUnread, newsFor, tellsOfEnd, type Mail } from '../records/mail.ts';
import { AT_WORK, DEAD, isIn, phaseOf, phases, type Phase } from '../records/phase.ts';
import type { RunStore } from '../records/ports.ts';
import { runsBelow, type Run } from '../records/run.ts';
import { MAX_CALLS_PER_TURN } from '../tool-contracts/plan-calls.ts';

/**
 * Agents could write to each other for ever, so this is how many wakes there may be between two messages of people.
 * Ends of agents that were started do not count: the limit of runs bounds them.
 */
export const MAX_WAKES = 100;

/** The writer of a message, and whether the writer counts on an answer. */
export type WritersMark = Pick<Mail, 'from' | 'kind'>;

/** Whose messages bring a run back, by the phase in which it rests. In all other phases it reads them anyway. */
const WAKERS: Partial<Record<Phase, readonly ('person' | 'agent' | 'report')[]>> = {
  idle: ['person', 'agent', 'report'],
  // Nobody would read what an ended agent makes of the end of another.
  answered: ['person', 'agent'],
  limited: ['person', 'agent'],
  failed: ['person'],
  stopped: ['person'],
};

/** The phases in which an agent wakes for messages that came before its last answer, and were not read. */
const ANSWERS_ALL = phases('idle', 'answered');

/** Whether a message that was just written brings a run back. */
export function wakes(mail: WritersMark, run: Run): boolean {
  const writer = mail.from === undefined ? 'person' : tellsOfEnd(mail) ? 'report' : 'agent';
  return WAKERS[phaseOf(run)]?.includes(writer) === true;
}

/** The resting runs that are about to continue: they have mail, and a process starts them. */
export async function dueRuns(
  runs: readonly Run[],
  tree: readonly Run[],
  store: Pick<RunStore, 'mails' | 'opened' | 'turns'>,
): Promise<{ run: Run; mail: Mail }[]> {
  const mayWake = (tree.find(({ path }) => path === '')?.woken?.length ?? 0) < MAX_WAKES;
  const records = { run: async (id: string) => tree.find((one) => one.id === id) };
  const resting = runs.filter((one) => one.hasMail && WAKERS[phaseOf(one)] !== undefined);
  const found = await Promise.all(
    resting.map(async (run) => {
      const mail = await mailToGoOnFor(run, store);
      if (mail === undefined || !wakes(mail, run)) return [];
      const isAnswering = isIn(ANSWERS_ALL, run);
      // A run that ended without an answer continues for later messages, and not for the same one again.
      const isUntried = isAnswering || mail.sentAt > (run.endedAt ?? '');
      const isWanted = isUntried && (mail.from === undefined || mayWake || mail.kind === 'end');
      return isWanted && (await endedCaller(run, records)) === undefined ? [{ run, mail }] : [];
    }),
  );
  return found.flat();
}

/** The message that gives an agent another turn if it continues now; undefined: there is none. */
export async function mailToGoOnFor(
  run: Pick<Run, 'id' | 'hasMail' | 'passedOver'>,
  store: Pick<RunStore, 'mails' | 'opened' | 'turns'>,
): Promise<Mail | undefined> {
  const { id, hasMail } = run;
  if (!hasMail) return undefined;
  const [mails, turns, opened] = await Promise.all([store.mails(id), store.turns(id), store.opened(id)]);
  const news = newsFor(mails, turns, opened?.tools ?? [], run);
  const ids = new Set([...news.ids, ...news.noticed]);
  const newest = mails.filter((mail) => isUnread(mail) && ids.has(mail.id)).toReversed();
  // A person's comes first: it gives the agent time of its own. A report needs no answer.
  return (
    newest.find(({ from }) => from === undefined) ?? newest.find((mail) => !tellsOfEnd(mail)) ?? newest[0]
  );
}

/** Whether an agent is told anything if it goes on now. */
export async function hasNews(run: Run, store: RunStore): Promise<boolean> {
  return (await mailToGoOnFor(run, store)) !== undefined;
}

/** A fork that an agent has begun to start. */
interface StartingFork {
  id: string;
  path: string;
  parent: Run;
  /** The call that began it. */
  by: CallKey;
}

/** Forks below an agent that are being started: they have a name, and no record yet. */
export async function startingForks(
  run: Pick<Run, 'id' | 'path'>,
  tree: readonly Run[],
  store: RunStore,
): Promise<StartingFork[]> {
  const named = await store.namedRuns(run.id);
  return runsBelow(run, named).flatMap(({ id, path }) => {
    if (tree.some((one) => one.id === id)) return [];
    const [, above = '', turn, call] = /^(?:(.*)_)?t(\d+)c(\d+)$/.exec(path) ?? [];
    const parent = tree.find((one) => one.path === above);
    // A copy that a person makes is idle as soon as it has a record.
    if (parent === undefined || Number(call) > MAX_CALLS_PER_TURN) return [];
    return [{ id, path, parent, by: { run: parent.id, turn: Number(turn), call: Number(call) } }];
  });
}

/**
 * Whether anything below an agent may still act: agents at work, agents about to continue for a message, forks that are
 * being started, and agents whose ends are still to be told.
 */
export async function isAnyAtWork(run: Run, tree: readonly Run[], store: RunStore): Promise<boolean> {
  const below = runsBelow(run, tree);
  if (below.some((one) => isIn(AT_WORK, one))) return true;
  if ((await dueRuns(below, tree, store)).length > 0) return true;
  const dead = tree.filter((one) => isIn(DEAD, one));
  const starting = await startingForks(run, tree, store);
  if (starting.some((fork) => dead.every((one) => runsBelow(one, [fork]).length === 0))) return true;
  const untold = (await store.mailWaits(run.root)).filter(({ isEnd }) => isEnd);
  return below.some((one) => phaseOf(one) === 'idle' && untold.some((wait) => wait.run === one.id));
}
