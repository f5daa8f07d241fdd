import type { Awaiting } from '../residents/rest.ts';
import type { ResidentPorts } from '../residents/ports.ts';
import { runsBelow } from '../runs/run.ts';
import { isOver, wakeForgotten } from '../residents/wake-agents.ts';
import { createPoll } from './poll.ts';

/** What waits for mail in this process. */
export interface LocalMail {
  add(waiting: Awaiting): void;
  /** Looks no more. */
  close(): void;
}

/**
 * Wakes executions of this process that wait for mail which another process has written.
 * @param report told of what goes wrong while the store is looked at
 */
export function createLocalMail(ports: ResidentPorts, report: (thrown: unknown) => void): LocalMail {
  const { store, executions, wake } = ports;
  const waits = new Set<Awaiting>();
  let newest: number | undefined;

  async function look(waiting: Awaiting): Promise<void> {
    if (!(await executions.isRunning(waiting.execution))) return void waits.delete(waiting);
    const tree = await store.tree(waiting.run);
    const run = tree.find(({ id }) => id === waiting.run);
    if (run !== undefined) await wakeForgotten(runsBelow(run, tree), tree, ports);
    if (!(await isOver(waiting, tree, ports)) || !waits.delete(waiting)) return;
    await wake(waiting.token, {});
    await store.deleteMailWait(waiting);
  }

  async function lookAtAll(): Promise<void> {
    const current = store.newest?.();
    if (current !== undefined && current === newest) return;
    newest = current;
    await Promise.all([...waits].map(look));
  }

  const poll = createPoll(lookAtAll, () => waits.size > 0, report);
  return {
    add(waiting) {
      waits.add(waiting);
      newest = undefined;
      poll.go();
    },
    close: poll.close,
  };
}
