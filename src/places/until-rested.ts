import { setTimeout as delay } from 'node:timers/promises';
import { StoreError } from '../errors.ts';
import { isIn, UNDER_WAY } from '../core/records/phase.ts';
import { defined } from '../defined.ts';
import type { RunReader } from '../core/records/ports.ts';
import type { Run } from '../core/records/run.ts';

/** Looks for the end of a run come soon at first, and finally every second. */
const FIRST_POLL_MS = 50;
const LAST_POLL_MS = 1_000;

export interface EndedOptions {
  /** Waits for the end of this holder, or of a later one. */
  after?: Pick<Run, 'holder'> | undefined;
  /** Waits until nothing of the run's tree is at work, and all of it is closed. */
  wholeTree?: boolean | undefined;
  /** Ends the waiting, and nothing else. */
  signal?: AbortSignal | undefined;
}

/** Waits, by its records alone, until a run rests. See `Environment.ended`. */
export async function untilRested(
  id: string,
  { after, wholeTree = false, signal }: EndedOptions,
  records: Pick<RunReader, 'isCarriedOut' | 'mails' | 'opened' | 'run' | 'tree' | 'turns'>,
): Promise<Run> {
  for (let pause = FIRST_POLL_MS; ; pause = Math.min(LAST_POLL_MS, pause * 1.5)) {
    const known = await records.run(id);
    // Asked before the decisive record is read: a run that ends in between is then read as ended.
    const isCarried = known !== undefined && (await records.isCarriedOut(known.root));
    const run = await records.run(id);
    if (run === undefined) throw new StoreError(`run "${id}" left no record`);
    const isAwaited = run.holder < (after?.holder ?? 0) || (await isToGoOn(run, records));
    const isOver = !isAwaited && !(wholeTree && (await isAnyAtWork(run, records)));
    if (isOver || !isCarried || signal?.aborted) return run;
    await delay(pause, undefined, defined({ signal })).catch(() => {}); // it ends with the signal, too
  }
}

/** Whether a run is still to continue: it is under way, or about to be because it has been written to. */
export async function isToGoOn(
  run: Run,
  records: Pick<RunReader, 'mails' | 'opened' | 'turns'>,
): Promise<boolean> {
  const isUnderWay = isIn(UNDER_WAY, run);
  if (isUnderWay || !run.hasMail) return isUnderWay;
  // Most runs have never been written to, and functions start faster without this.
  const { dueRuns } = await import('../core/lifecycle/due.ts');
  return (await dueRuns([run], [run], records)).length > 0;
}

async function isAnyAtWork({ id }: Run, records: Pick<RunReader, 'tree'>): Promise<boolean> {
  // Only commands wait for trees.
  const { isAnyGoingOn } = await import('../core/events/going-on.ts');
  return isAnyGoingOn(await records.tree(id), Date.now());
}
