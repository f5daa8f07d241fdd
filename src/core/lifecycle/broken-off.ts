import { DEAD, ENDED, OPEN, UNDER_WAY, isIn, phaseOf } from '../records/phase.ts';
import { branchOf, runsBelow, type Run } from '../records/run.ts';
import { mailToGoOnFor, startingForks, writtenTo } from './at-work.ts';
import { endBelow } from './end-agents.ts';
import type { StartingPorts } from './ports.ts';

// What is left to do of a tree whose process has died, or whose executions were stopped.

/** Whether agents of a tree that has its answer were interrupted, or have been written to and not gone on. */
export async function isAnyLeft(top: Run, { store, executions }: StartingPorts): Promise<boolean> {
  const tree = await store.tree(top.id);
  const broken = await brokenOff(top, tree, store);
  for (const run of [
    ...broken.filter((one) => isIn(OPEN, one)),
    ...(await owedToPeople(broken, tree, store)),
  ]) {
    if (!(await isRunning(run, executions))) return true;
  }
  return (await writtenTo(tree, tree, store)).length > 0;
}

/** Agents below the top that go on when it does. */
export async function brokenOff(
  top: Run,
  tree: readonly Run[],
  store: StartingPorts['store'],
): Promise<Left[]> {
  return [...tree.filter((one) => isBrokenOff(one, tree)), ...(await lostForks(top, tree, store))];
}

/**
 * Those of the agents below a top that has its answer that were stopped before they answered a person, with what was
 * stopped below them. Whatever else was stopped may have been so with the end of the top's time.
 */
export async function owedToPeople(
  broken: readonly Left[],
  tree: readonly Run[],
  store: StartingPorts['store'],
): Promise<Left[]> {
  const stopped = tree.filter(
    ({ id, status }) => status === 'stopped' && broken.some((one) => one.id === id),
  );
  const isOwed = async (run: Run) => {
    const mail = await mailToGoOnFor(run, store);
    return run.isForPerson || (mail !== undefined && mail.from === undefined);
  };
  const owed = await Promise.all(
    stopped.map(async (run) => ((await isOwed(run)) ? branchOf(run, stopped) : [])),
  );
  return stopped.filter((run) => owed.flat().includes(run));
}

/** Ends what is open below agents that were ended for good: whoever ended them may have died before it did. */
export async function endLeft(tree: readonly Run[], ports: StartingPorts): Promise<void> {
  for (const run of tree) {
    if (!isEndedForGood(run) || !runsBelow(run, tree).some((one) => isIn(OPEN, one))) continue;
    await endBelow(run, { ...ports, emit: () => {} });
  }
}

/** Whether nothing brings it back but a person who writes to it. */
function isEndedForGood(run: Run): boolean {
  return run.parent !== undefined && isIn(DEAD, run) && isIn(ENDED, run);
}

/** Whether it was interrupted with its tree: it would go on, and so would everything above it. */
function isBrokenOff(run: Run, tree: readonly Run[]): boolean {
  const isLeft = isIn(UNDER_WAY, run) || phaseOf(run) === 'stopped';
  return run.parent !== undefined && isLeft && !isBelowEnded(run, tree);
}

function isBelowEnded(run: Pick<Run, 'path'>, tree: readonly Run[]): boolean {
  return tree.some((one) => isEndedForGood(one) && runsBelow(one, [run]).length > 0);
}

/** What is known of a run that is to go on. */
export type Left = Pick<
  Run,
  | 'agent'
  | 'depth'
  | 'derivedBy'
  | 'execution'
  | 'hasMail'
  | 'holder'
  | 'id'
  | 'parent'
  | 'root'
  | 'isForPerson'
  | 'status'
  | 'wokenBy'
>;

/** Whether it is a copy that a person made, and told nothing before it was stopped: it has nothing to go on with. */
export function isUntold({ execution, hasMail, status }: Left): boolean {
  return status === 'stopped' && execution === '' && !hasMail;
}

/** Forks whose executions ended before they had records: the turns that began them are over. */
async function lostForks(top: Run, tree: readonly Run[], store: StartingPorts['store']): Promise<Left[]> {
  const lost = (await startingForks(top, tree, store)).filter((one) => !isBelowEnded(one, tree));
  return lost.flatMap(({ id, path }) => {
    const [, above = '', turn, call] = /^(?:(.*)_)?t(\d+)c(\d+)$/.exec(path) ?? [];
    const parent = tree.find((one) => one.path === above);
    if (parent === undefined) return [];
    const { agent, depth, root } = parent;
    const at = { run: parent.id, turn: Number(turn), call: Number(call) };
    return [
      {
        id,
        agent,
        depth,
        root,
        parent: at,
        derivedBy: 'fork',
        execution: '',
        holder: 0,
        status: 'running' as const,
      },
    ];
  });
}

/** One that was made by hand, or has only been planned, has none. */
export async function isRunning(
  { execution }: Left,
  executions: StartingPorts['executions'],
): Promise<boolean> {
  return execution !== '' && executions.isRunning(execution);
}

/** Whether any run of a tree is carried here. */
export async function isAnyRunning(
  tree: readonly Left[],
  executions: StartingPorts['executions'],
): Promise<boolean> {
  const live = await Promise.all(tree.map((run) => isRunning(run, executions)));
  return live.some(Boolean);
}
