import { dueRuns } from '../../core/lifecycle/due.ts';
import type { ResidentPorts } from '../../core/lifecycle/ports.ts';
import type { Awaiting } from '../../core/lifecycle/rest.ts';
import { wakeDue } from '../../core/lifecycle/recover.ts';
import { wakeIfOver } from '../../core/lifecycle/wake-agents.ts';
import { STOPPED } from '../../core/records/closing-reason.ts';
import { isOfTree, runOfExecution } from '../../core/records/run-id.ts';
import { UNDER_WAY, isIn } from '../../core/records/phase.ts';
import type { Run } from '../../core/records/run.ts';
import { giveUpTask } from '../../core/turn/close.ts';
import { createPoll } from '../poll.ts';
import { unlessCarried, type RunLocks } from './run-lock.ts';

/**
 * The trees that this process carries. Other processes leave messages to agents, and ended runs, to it: as long as it
 * holds a tree, it looks for these in the store.
 */
export interface CarriedTrees {
  /**
   * Takes a tree, which may be taken several times.
   * @throws {CarriedError} if another process carries it out
   */
  take(root: string): Promise<void>;
  /**
   * Releases a tree that was taken. The last to do so waits until all of it has ended here and nothing is left to do
   * for other processes.
   */
  letGo(root: string): Promise<void>;
  /** Looks after an execution that waits for mail. */
  add(waiting: Awaiting): void;
  /**
   * Keeps the locks of all trees, and does nothing more for them. Once this process has ended, the locks tell others
   * that it carried them.
   * @returns the trees that it carries
   */
  leave(): string[];
  /** Looks no more. */
  close(): void;
}

export interface CarriedTreesPorts {
  residents: ResidentPorts;
  locks: Pick<RunLocks, 'take' | 'release'>;
  /** The executions that run here. */
  running(): { name: string; arn: string }[];
  /** Waits until no execution of a tree runs here, and all that have ended are closed in the store. */
  rested(root: string): Promise<void>;
  /** Called with failures while the store is looked at. */
  report(thrown: unknown): void;
}

/** A tree that was taken. */
interface SupervisedTree {
  /** How often it was taken in all, and how often it is taken now. */
  taken: number;
  count: number;
  locked: Promise<void>;
  /** Set while it comes to rest, after which it is let go. */
  released?: Promise<void>;
}

/** The share of time that may be spent on looking: large trees take longer to read. */
const LOOKING = 0.1;

export function createCarriedTrees(ports: CarriedTreesPorts): CarriedTrees {
  const { residents, locks, running, rested, report } = ports;
  const { store, executions } = residents;
  const supervised = new Map<string, SupervisedTree>();
  const waits = new Set<Awaiting>();
  let newest: number | undefined;
  let notBefore = 0;
  let hasLeft = false;

  /** @returns whether anything was started */
  async function look(root: string): Promise<boolean> {
    const tree = await store.tree(root);
    const own = running().filter(({ name }) => isOfTree(name, root));
    for (const { arn } of own) await stopIfEnded(arn, tree);
    const live = new Set(own.map(({ name }) => runOfExecution(name)));
    // Writers that saw an open record have left their messages to this process, and the execution is about to end.
    const isEnding = tree.some((run) => live.has(run.id) && !isIn(UNDER_WAY, run));
    if (isEnding) newest = undefined;
    const resting = tree.filter(({ id }) => !live.has(id));
    const started = await wakeDue(resting, tree, residents);
    for (const run of resting) await giveUpTask(run, residents.giveUp);
    await Promise.all([...waits].filter((one) => isOfTree(one.run, root)).map((one) => goOn(one, tree)));
    return started.length > 0;
  }

  /** Another process has ended the agent that this one carries. */
  async function stopIfEnded(arn: string, tree: readonly Run[]): Promise<void> {
    const run = tree.find(({ execution }) => execution === arn);
    if (run?.status === 'stopped') await executions.stop(arn, run.failure?.message ?? STOPPED);
  }

  async function goOn(waiting: Awaiting, tree: readonly Run[]): Promise<void> {
    if (!(await executions.isRunning(waiting.execution))) return void waits.delete(waiting);
    if (await wakeIfOver(waiting, tree, residents)) waits.delete(waiting);
  }

  async function lookAtAll(): Promise<void> {
    const current = store.newest?.();
    const began = performance.now();
    if (began < notBefore || (current !== undefined && current === newest)) return;
    newest = current;
    try {
      await Promise.all([...supervised.keys()].map(look));
    } catch (thrown) {
      newest = undefined; // it is looked at once more, whether anything is written or not
      throw thrown;
    }
    const ended = performance.now();
    notBefore = ended + (ended - began) / LOOKING;
  }
  const poll = createPoll(lookAtAll, () => supervised.size > 0, report);

  async function take(root: string): Promise<void> {
    const tree = supervised.get(root) ?? { taken: 0, count: 0, locked: locks.take(root) };
    supervised.set(root, tree);
    tree.taken += 1;
    tree.count += 1;
    try {
      await tree.locked;
    } catch (thrown) {
      if (supervised.get(root) === tree) supervised.delete(root);
      throw thrown;
    }
    poll.go();
  }

  /** The messages for which agents would go on. */
  async function written(root: string): Promise<string[]> {
    const tree = await store.tree(root);
    return (await dueRuns(tree, tree, store)).map(({ mail }) => mail.id);
  }

  async function letGo(root: string): Promise<void> {
    const tree = supervised.get(root);
    if (hasLeft || tree === undefined || --tree.count > 0) return;
    // The lock is released only once: a second release would be that of its next holder.
    tree.released ??= release(root, tree);
    await tree.released;
  }

  async function release(root: string, tree: SupervisedTree): Promise<void> {
    let left: string[];
    let seen: number;
    try {
      do {
        seen = tree.taken;
        do await rested(root);
        while (!hasLeft && (await look(root)));
        left = await written(root);
      } while (tree.count === 0 && tree.taken !== seen);
    } finally {
      delete tree.released;
      if (tree.count === 0 && !hasLeft) {
        supervised.delete(root);
        await locks.release(root);
      }
    }
    // Taken again while it came to rest: its new user releases it.
    if (tree.count > 0 || hasLeft) return;
    // Writers since then may have seen the tree carried out, and left their messages to this process.
    if ((await written(root)).every((id) => left.includes(id))) return;
    if ((await unlessCarried(() => take(root))).fault === undefined) await letGo(root);
  }

  return {
    take,
    letGo,
    add(waiting) {
      waits.add(waiting);
      newest = undefined;
      poll.go();
    },
    leave() {
      hasLeft = true;
      poll.close();
      return [...supervised.keys()];
    },
    close: poll.close,
  };
}
