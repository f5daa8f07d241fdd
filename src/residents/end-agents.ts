import { ConfigError } from '../errors.ts';
import { closeRun } from '../conversation/close.ts';
import { isFork, isOpen, runsBelow, type Failure, type Run } from '../runs/run.ts';
import type { ResidentPorts } from './ports.ts';

/**
 * Ends agents that are at work or idle: first their records, from the top, so that none of them begins anything any
 * more, then their executions; and again until none is left, since some may have been starting.
 * @param which of the runs of the tree
 * @returns the runs that were ended
 */
export async function endAgents(
  root: string,
  which: (tree: readonly Run[]) => readonly Run[],
  failure: Failure,
  ports: ResidentPorts,
): Promise<string[]> {
  const { store, executions } = ports;
  const ended: string[] = [];
  for (;;) {
    const open = which(await store.tree(root)).filter(isOpen);
    if (open.length === 0) return ended;
    for (const run of open) {
      const closed = await closeRun(run, await store.turns(run.id), { status: 'stopped', failure }, ports);
      if (closed?.failure?.error === failure.error) ended.push(run.id);
    }
    await Promise.all(
      open.map(async ({ execution }) => {
        try {
          await executions.stop(execution, failure.message);
        } catch (thrown) {
          // Carried by nobody, or by another process, which sees the closed record.
          if (!(thrown instanceof ConfigError)) throw thrown;
        }
      }),
    );
  }
}

/** The forks below an agent, with everything below them: nobody else ends them. */
export function forksBelow(run: Pick<Run, 'path'>): (tree: readonly Run[]) => Run[] {
  return (tree) => {
    const below = runsBelow(run, tree);
    const forks = below.filter(isFork);
    return below.filter((one) => isFork(one) || forks.some((fork) => runsBelow(fork, [one]).length > 0));
  };
}
