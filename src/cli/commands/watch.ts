import { EXIT, exitCodeOfFailure } from '../terminal/exit-code.ts';
import { findRun, runNotFound } from './find-run.ts';
import type { RunIo } from '../terminal/io.ts';
import type { LookedAtRuns } from '../../pipeline/kept-runs.ts';
import { openLiveTree } from '../terminal/live-tree.ts';
import { pollEvents } from '../../pipeline/poll-events.ts';
import { verboseLine } from '../terminal/verbose.ts';

/**
 * `cadre watch`: follows a tree that another process, or a deployed machine, carries out: as a live tree on a
 * terminal, line by line elsewhere. Ctrl-C ends the watching and nothing else.
 * @returns the exit code that the run itself would have had, 0 while it runs, 1 if its process died
 * @throws {ConfigError} if there is no such run
 */
export async function watchRun(word: string, kept: LookedAtRuns | undefined, io: RunIo): Promise<number> {
  if (kept === undefined) throw runNotFound(word);
  const { root, execution } = await findRun(word, kept.runs);
  const link = kept.link(execution);
  if (link !== undefined) io.stderr(`${link}\n`);
  const live = io.terminal === undefined ? undefined : await openLiveTree(io.terminal);
  try {
    await pollEvents(
      root,
      kept.runs,
      (event) => {
        live?.emit(event);
        const line = live === undefined ? verboseLine(event, root) : undefined;
        if (line !== undefined) io.stderr(`${line}\n`);
      },
      io.interrupted,
      () => kept.isCarriedOut(root),
    );
  } finally {
    live?.close();
  }
  const abandoned = !(await kept.isCarriedOut(root));
  const { status, failure } = await findRun(root, kept.runs);
  if (abandoned && status === 'running') {
    io.stderr(`run "${root}" is interrupted; continue it with: cadre resume ${root}\n`);
    return EXIT.agent;
  }
  io.stderr(`run "${root}" is ${status}\n`);
  if (failure !== undefined) return exitCodeOfFailure(failure);
  return status === 'budget_exceeded' ? EXIT.budget : EXIT.success;
}
