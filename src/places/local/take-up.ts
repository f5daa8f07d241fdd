import { messageOf } from '../../errors.ts';
import type { StartingPorts } from '../../core/lifecycle/ports.ts';
import { goOn } from '../../core/lifecycle/resume.ts';
import { treePhases } from '../../core/lifecycle/tree-phases.ts';
import { phases, UNDER_WAY } from '../../core/records/phase.ts';
import type { Run } from '../../core/records/run.ts';
import type { LocalPipeline } from './local-pipeline.ts';
import { unlessCarried } from './run-lock.ts';

/**
 * How often a tree is taken up that gets no further: the cause that killed its process may well do so again, and each
 * time the answer that was under way is paid for once more.
 */
const MOST_TAKE_UPS = 3;

/**
 * Takes up the trees that servers of this folder carried out when they ended or died. Trees of other commands, such as
 * `cadre run`, are left to the people who started them.
 * @param ports its executions take the lock of a tree for themselves
 * @param tell takes a line for people, without its newline
 */
export async function takeUpLeft(
  pipeline: Pick<LocalPipeline, 'carryOut' | 'local'>,
  ports: StartingPorts,
  tell: (line: string) => void,
): Promise<void> {
  const { local, carryOut } = pipeline;
  const { locks, serving } = local;
  for (const server of await serving.gone()) {
    let isAnyLeft = false;
    for (const root of await locks.leftBy(server)) {
      const takenUp = await nextTakeUp(root, ports);
      if (takenUp.times > MOST_TAKE_UPS) {
        isAnyLeft = true;
        tell(
          `Warning: run ${root} was taken up ${MOST_TAKE_UPS} times and got no further, so it stays interrupted; ` +
            `continue with: POST /runs/${root}/resume, or close it with: POST /runs/${root}/stop`,
        );
        continue;
      }
      const takeUp = async () => {
        const top = await ports.store.updateRun(root, (one) => ({ ...one, takenUp }));
        if (top !== undefined) return goOn(root, ports);
        // Nobody was told that it has begun, and nobody would find what was asked for once the lock is gone.
        await ports.store.deleteTrees([root]);
        return undefined;
      };
      try {
        const begun = await unlessCarried(() => carryOut(root, takeUp));
        if (begun.done !== undefined)
          tell(`${toTime(ports.now())} run ${root} goes on where its server left it`);
      } catch (thrown) {
        isAnyLeft = true;
        tell(`Error: run ${root}, which its server has left, does not go on: ${messageOf(thrown)}`);
      }
    }
    if (!isAnyLeft) await serving.forget(server);
  }
}

/** How often a tree will have been taken up without getting any further. Waiting for people costs nothing. */
async function nextTakeUp(root: string, { store, now }: StartingPorts): Promise<NonNullable<Run['takenUp']>> {
  const tree = await store.tree(root);
  const newest = await Promise.all(tree.map(({ id }) => store.newestTurn(id)));
  const turns = newest.reduce((sum, turn) => sum + (turn?.number ?? 0), 0);
  const before = tree.find(({ id }) => id === root)?.takenUp;
  if (before?.turns !== turns) return { times: 1, turns };
  return (await isWaitingForPeople(tree, root, now(), store)) ? before : { times: before.times + 1, turns };
}

/** The phases in which a run costs nothing until others have done something. */
const WAITING = phases('waiting_person', 'waiting_mail', 'waiting_agents', 'resting');

/** Whether nothing goes on in a tree until people have answered. */
async function isWaitingForPeople(
  tree: readonly Run[],
  root: string,
  now: number,
  store: StartingPorts['store'],
): Promise<boolean> {
  const underWay = [...(await treePhases(root, tree, now, store)).values()].filter((one) =>
    UNDER_WAY.has(one),
  );
  return underWay.includes('waiting_person') && underWay.every((one) => WAITING.has(one));
}

function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
