import { ENDED, DEAD, isIn, phaseOf, UNDER_WAY, type Phase } from '../records/phase.ts';
import { reopened } from '../records/reopened.ts';
import { branchOf, carriedSince, isAhead, isBeside, runsBelow, type Run } from '../records/run.ts';
import { dueRuns, mailToGoOnFor, startingForks } from './due.ts';
import { endBelow } from './end-agents.ts';
import { ASKED_AT_ONCE, batchByBatch } from './in-batches.ts';
import type { StartingPorts } from './ports.ts';
import { deedFor, RECOVERY, type Deed, type Fact } from './recovery.ts';
import { startAgain, wakeFor, type Continuation } from './start-again.ts';

// Recovers a tree whose process has died, or whose executions were stopped. `recovery.ts` says what to do with each
// run; this module finds out which facts hold, and acts on them.

/**
 * How much of a tree continues: all of it, with its top; interrupted runs, and those that people wait for; interrupted
 * runs only; or, in a tree that is carried, runs with mail.
 */
export type Extent = 'whole' | 'owed' | 'interrupted' | 'written_to';

/** The facts about a run that may have to go on. */
type Left = Carried &
  Pick<
    Run,
    | 'agent'
    | 'beside'
    | 'depth'
    | 'derivedBy'
    | 'holder'
    | 'id'
    | 'isForPerson'
    | 'parent'
    | 'path'
    | 'root'
    | 'wokenBy'
  > & { phase: Phase };

/**
 * Continues a tree: each run below its top as the table says.
 * @param tree as last read
 * @param startTop starts the top, if it continues too: after the runs that it could meet are stopped or at work again,
 *   and before the others begin
 * @returns the runs that were started below it
 */
export async function recover(
  tree: readonly Run[],
  extent: Extent,
  ports: StartingPorts,
  startTop: () => Promise<void> = async () => {},
): Promise<Continuation[]> {
  const { store } = ports;
  const executions = askedOnce(ports.executions);
  const deeds = async (of: readonly Run[]) => {
    const decided: Decided[] = [];
    for await (const one of deedsIn(of, extent, { ...ports, executions })) decided.push(one);
    return decided;
  };
  const [root = ''] = tree.map((run) => run.root);
  const found = await deeds(tree);
  for (const { run, deed } of found) {
    if (deed === 'stop') await executions.stop(run.execution, `run "${root}" is resumed`);
  }
  // An agent that opens others below itself finds them in this state, and so does the top, until it has answered again.
  for (const { run, deed } of found) if (deed === 'reopen') await reopen(run, ports);
  // So that nothing that the top begins is taken for a leftover.
  const isLater = ({ deed }: Decided) => deed === 'stop' || deed === 'reopen' || deed === 'start';
  const later = found.filter(isLater).map(({ run }) => run.id);
  const left = later.length === 0 ? [] : await deeds(await store.tree(root));
  await startTop();
  const started: Continuation[] = [];
  for (const { run, deed } of left) {
    if (deed !== 'start' || !later.includes(run.id)) continue;
    const execution = await startAgain(run, run, ports);
    if (execution !== undefined) started.push({ id: run.id, execution });
  }
  const newest = await store.tree(root);
  return [...started, ...(await wakeDue(newest, newest, ports))];
}

/** Whether recovering a tree whose top has its answer would set anything going. */
export async function isAnyLeft(top: Run, ports: StartingPorts): Promise<boolean> {
  const tree = await ports.store.tree(top.id);
  const executions = askedOnce(ports.executions);
  for await (const { deed } of deedsIn(tree, 'owed', { ...ports, executions })) {
    if (deed === 'start' || deed === 'reopen' || deed === 'wake') return true;
  }
  return false;
}

/** Ends open runs below agents that were ended for good: the process that ended those may have died first. */
export async function endDoomed(root: string, ports: StartingPorts): Promise<void> {
  const tree = await ports.store.tree(root);
  for (const run of tree.filter(isEndedForGood)) {
    if (runsBelow(run, tree).some((one) => RECOVERY[phaseOf(one)].doomed === 'end')) {
      await endBelow(run, ports);
    }
  }
}

/** Starts resting runs that have mail: the writer may have died before it started them. */
export async function wakeDue(
  runs: readonly Run[],
  tree: readonly Run[],
  ports: StartingPorts,
): Promise<Continuation[]> {
  const started: Continuation[] = [];
  for (const { run, mail } of await dueRuns(runs, tree, ports.store)) {
    const execution = await wakeFor(mail, run, ports);
    if (execution !== undefined) started.push({ id: run.id, execution });
  }
  return started;
}

/** Whether any run of a tree is carried here. */
export async function isAnyRunning(
  tree: readonly Carried[],
  executions: StartingPorts['executions'],
): Promise<boolean> {
  const carried = tree.filter(({ execution }) => execution !== '');
  for await (const isOne of batchByBatch(ASKED_AT_ONCE, carried, (run) => isRunning(run, executions))) {
    if (isOne) return true;
  }
  return false;
}

/** A run that was made by hand, or is only planned, has no execution. */
export async function isRunning(run: Carried, executions: StartingPorts['executions']): Promise<boolean> {
  return run.execution !== '' && executions.isRunning(run.execution, carriedSince(run));
}

/** Remembers which executions have ended, so that each is described once, however many facts depend on it. */
function askedOnce(executions: StartingPorts['executions']): StartingPorts['executions'] {
  const ended = new Set<string>();
  return {
    ...executions,
    async isRunning(execution, since) {
      if (ended.has(execution)) return false;
      const isLive = await executions.isRunning(execution, since);
      if (!isLive) ended.add(execution);
      return isLive;
    },
  };
}

type Carried = Pick<Run, 'execution' | 'startedAt' | 'resumedAt'>;

interface Decided {
  run: Left;
  deed: Deed;
}

/** The table's deed for each run below the top, and for the top if it is due. */
async function* deedsIn(tree: readonly Run[], extent: Extent, ports: StartingPorts): AsyncGenerator<Decided> {
  const { store, executions } = ports;
  const top = tree.find(({ path }) => path === '');
  if (top === undefined) return;
  const runs = [
    ...tree.map((run): Left => ({ ...run, phase: phaseOf(run) })),
    ...(await starting(top, tree, store)),
  ];
  const ended = tree.filter(isEndedForGood);
  const owed = extent === 'owed' ? await owedToPeople(tree, store) : undefined;
  const due = await dueRuns(tree, tree, store);

  /** Whether its caller continues, and has made no turn since it made the call. */
  async function isCalledAgain(run: Left): Promise<boolean> {
    const caller = isBeside(run) ? undefined : runs.find(({ id }) => id === run.parent?.run);
    const goesOn =
      caller !== undefined && (UNDER_WAY.has(caller.phase) || (caller.id === top?.id && extent === 'whole'));
    return goesOn && ((await store.newestTurn(caller.id))?.number ?? 0) <= (run.parent?.turn ?? 0);
  }

  const isTrue: Record<Fact, (run: Left) => boolean | Promise<boolean>> = {
    doomed: (run) => ended.some((one) => runsBelow(one, [run]).length > 0),
    owed: ({ id }) => extent === 'whole' || owed?.has(id) === true,
    leftover: (run) => extent === 'whole' && isRunning(run, executions),
    called: isCalledAgain,
    orphaned: async (run) => extent !== 'written_to' && !(await isRunning(run, executions)),
    due: ({ id }) => due.some(({ run }) => run.id === id),
  };
  yield* batchByBatch(ASKED_AT_ONCE, runs, async (run) => {
    // The top is not recovered with the runs below it, but may have mail.
    const isTop = run.id === top.id;
    const deed = await deedFor(run.phase, async (fact) => (!isTop || fact === 'due') && isTrue[fact](run));
    return { run, deed };
  });
}

/** Whether only a person who writes to it can bring it back. */
function isEndedForGood(run: Run): boolean {
  return run.parent !== undefined && isIn(DEAD, run) && isIn(ENDED, run);
}

/**
 * Of the agents below an answered top, those that were stopped before they answered a person, with the runs that were
 * stopped below them. Other runs may have been stopped because the top's time ended.
 */
async function owedToPeople(tree: readonly Run[], store: StartingPorts['store']): Promise<Set<string>> {
  const stopped = tree.filter((run) => phaseOf(run) === 'stopped');
  const owed = await Promise.all(
    stopped.map(async (run) => {
      const mail = await mailToGoOnFor(run, store);
      const isOwed = run.isForPerson || (mail !== undefined && mail.from === undefined);
      return isOwed ? branchOf(run, stopped).map(({ id }) => id) : [];
    }),
  );
  return new Set(owed.flat());
}

/**
 * Forks whose executions ended before they had records: the turns that began them are over. Other agents beside their
 * callers have records ahead of their executions.
 */
async function starting(top: Run, tree: readonly Run[], store: StartingPorts['store']): Promise<Left[]> {
  return (await startingForks(top, tree, store)).map(({ id, path, parent, by }) => {
    const { agent, depth, root, startedAt } = parent;
    const fork = { parent: by, derivedBy: 'fork', beside: true as const, execution: '', holder: 0 };
    return { id, path, agent, depth, root, startedAt, ...fork, phase: phaseOf(undefined) };
  });
}

/** Puts a stopped agent to work again, unless something else has become of it since. */
async function reopen({ id }: Left, { store, now }: StartingPorts): Promise<void> {
  await store.updateRun(id, (run) => {
    if (phaseOf(run) !== 'stopped') return run;
    return isUntold(run) ? idleAgain(run) : reopened(run, now());
  });
}

/** Whether it is a person's copy that was stopped before it was told anything: it has nothing to continue with. */
function isUntold(run: Run): boolean {
  return run.execution === '' && !isAhead(run) && !run.hasMail;
}

function idleAgain({ failure: _failure, ...run }: Run): Run {
  return { ...run, status: 'idle' };
}
