import { createBackground } from '../../background.ts';
import type { RunEvent } from '../../core/events/event.ts';
import { AT_REST, isIn } from '../../core/records/phase.ts';
import type { Run } from '../../core/records/run.ts';
import { outputOf, resultOf } from '../../core/records/turn.ts';
import { shownTree } from '../../core/reports/shown-tree.ts';
import type { Environment } from '../../places/environment.ts';
import type { RunOptions, RunResult, StartedRun } from './cadre.ts';
import { RunError } from './run-error.ts';
import { summarise } from './run-summary.ts';

/** The runs that a program starts or goes on with, until it has read their results. */
interface CarriedRuns {
  /** @param begin returns the run that a signal stops, if there is one */
  carry(
    id: string,
    begin: () => Promise<Run | undefined>,
    options: Pick<RunOptions, 'signal' | 'onEvent'>,
  ): Promise<StartedRun>;
  /** The result of a run as far as it is there. */
  resultNow(run: Run): Promise<RunResult>;
  /** Waits until all results that are awaited are read, and ends the listening. */
  close(): Promise<void>;
}

export function createCarriedRuns(environment: Environment, now: () => number): CarriedRuns {
  const { records } = environment;
  /** Awaited results that are yet to be read from the store. */
  const reading = createBackground();
  const closed = new AbortController();

  async function carry(
    id: string,
    begin: () => Promise<Run | undefined>,
    { signal, onEvent }: Pick<RunOptions, 'signal' | 'onEvent'>,
  ): Promise<StartedRun> {
    let finish = () => {};
    const over = new Promise<void>((resolve) => (finish = resolve));
    // It listens before the run begins.
    const told = onEvent && tellAll(id, over, onEvent);
    // An exception of a listener is thrown by `result`.
    told?.catch(() => {});
    try {
      const run = await begin();
      // A run that can no longer be stopped has ended, which `result` tells.
      const stop = () => void (run && environment.stop(run, STOPPED, PROGRAM).catch(() => {}));
      signal?.addEventListener('abort', stop, { once: true });
      if (signal?.aborted) stop();
      return {
        id,
        result() {
          const end = () => {
            signal?.removeEventListener('abort', stop);
            finish();
          };
          const result = environment
            .ended(id, { wholeTree: true })
            .finally(end)
            .then(async (ended) => {
              await told;
              return resultOfEnded(ended, signal);
            });
          reading.begin(Promise.allSettled([result, told]));
          return result;
        },
      };
    } catch (thrown) {
      finish();
      throw thrown;
    }
  }

  /** Tells a listener of all that happens in a tree, until a promise is settled. */
  async function tellAll(
    id: string,
    until: Promise<void>,
    listener: (event: RunEvent) => void,
  ): Promise<void> {
    for await (const { event } of environment.follow(id, { live: true, signal: closed.signal, until }))
      listener(event);
  }

  async function resultOfEnded(run: Run, signal: AbortSignal | undefined): Promise<RunResult> {
    if (isIn(AT_REST, run)) return resultNow(run);
    signal?.throwIfAborted();
    throw new RunError((await resultNow(run)).run, run.failure);
  }

  async function resultNow(run: Run): Promise<RunResult> {
    const [turns, tree] = await Promise.all([records.turns(run.id), shownTree(run, records)]);
    const output = outputOf(run, turns);
    const top = tree.find(({ id }) => id === run.id) ?? run;
    return {
      content: resultOf(run, turns),
      ...(output !== undefined && { output }),
      run: summarise(top, tree, now()),
    };
  }

  return {
    carry,
    resultNow,
    async close() {
      await reading.done();
      closed.abort();
    },
  };
}

const STOPPED = 'stopped by the caller';

/** Who stops runs, for the records. */
export const PROGRAM = 'its program';
