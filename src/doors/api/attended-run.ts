import { setTimeout as delay } from 'node:timers/promises';
import type { RunEvent } from '../../core/events/event.ts';
import type { Run } from '../../core/records/run.ts';
import { resultOf, type Turn } from '../../core/records/turn.ts';
import type { NewRun } from '../../places/environment.ts';
import { listen } from './listen.ts';
import type { ApiContext } from './context.ts';
import { untilEnded } from './run-resources.ts';
import { startRun } from './start.ts';
import { clientOf } from './subject.ts';

/** How a run ended whose client waited for it. */
export interface EndedRun {
  /** Still under way where the answer could not wait for its end. */
  run: Run;
  /** Its answer; "" if there is none. */
  content: string;
  turns: Turn[];
  /** The run and everything below it. */
  tree: Run[];
}

/** Callers that read the records of a run carried elsewhere notice its end within a second. */
const TOLD_MS = 5_000;

/**
 * Starts a run for a client that waits for it.
 * @param wanted a new one
 * @param signal stops the run with everything below it: its client has left
 * @param onEvent called with every event of its tree
 * @returns its end, once it has started: rejected with a problem (409) if no carrier is left
 */
export async function attendRun(
  wanted: NewRun,
  context: ApiContext,
  signal: AbortSignal,
  onEvent: (event: RunEvent) => void = () => {},
): Promise<{ ended: Promise<EndedRun> }> {
  const { id } = wanted;
  const { environment, answerSeconds } = context;
  const last = answerSeconds === undefined ? Infinity : performance.now() + 1000 * answerSeconds;
  let close = () => {};
  const closed = new Promise<void>((resolve) => (close = resolve));
  const unlisten = await listen(
    id,
    (event) => {
      onEvent(event);
      if (event.type === 'run_closed' && event.run === id) close();
    },
    context,
  );
  try {
    const run = await startRun(wanted, context);
    // A run that cannot be stopped has ended.
    const stop = () => void environment.stop(run, 'its client left', clientOf(run)).catch(() => {});
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const over = new AbortController();
    // It ends with the signal.
    const after = (ms: number) => delay(ms, undefined, { signal: over.signal }).catch(() => {});
    const ended = Promise.race([
      closed,
      // Its last words may not have been told yet.
      environment.ended(id, { signal: over.signal }).then(() => Promise.race([closed, after(TOLD_MS)])),
      ...(answerSeconds === undefined ? [] : [after(1000 * answerSeconds)]),
    ])
      .then(() => endOf(id, (last - performance.now()) / 1000, context))
      .finally(() => {
        over.abort();
        signal.removeEventListener('abort', stop);
        unlisten();
      });
    return { ended };
  } catch (thrown) {
    unlisten();
    throw thrown;
  }
}

/** Its record is closed by now, or shortly after: by the event about its execution, if that ended in another way. */
async function endOf(id: string, seconds: number, context: ApiContext): Promise<EndedRun> {
  const { records } = context.environment;
  const known = await records.run(id);
  if (known === undefined) throw new Error(`run "${id}" left no record`);
  const run = await untilEnded(known, seconds, new AbortController().signal, context);
  const [turns, tree] = await Promise.all([records.turns(id), records.tree(id)]);
  return { run, content: resultOf(run, turns), turns, tree };
}
