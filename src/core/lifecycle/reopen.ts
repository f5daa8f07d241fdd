import { later, onTreeClock, toMillis, type Seconds, type TreeInstant } from '../records/times.ts';
import { pausedAt } from '../records/clock.ts';
import { usualTimeout, secondsUntil } from '../records/deadline.ts';
import type { Opened } from '../records/opened.ts';
import type { Run } from '../records/run.ts';
import { holdRun, type Claim } from '../turn/hold.ts';
import type { StartingPorts } from './ports.ts';

/** The machine's input for a run that continues because of a message. */
interface Woken {
  run: Run;
  opened: Opened;
  claim: Claim;
  /** Absent: the run has time of its own. */
  deadline?: TreeInstant | undefined;
  /** How long the tree may wait for people altogether; a top has its own. */
  patience: Seconds;
}

/**
 * Lets an execution continue a run that was opened before, with everything that it was opened with.
 * @returns the record, and the times of the execution: see `OpenOutput`
 */
export async function reopenRun(
  { run, opened, claim, ...input }: Woken,
  { store, now }: Pick<StartingPorts, 'now' | 'store'>,
) {
  const { id } = run;
  const [newest, clock] = await Promise.all([store.newestTurn(id), store.clock(run.root)]);
  const begins = onTreeClock(now(), pausedAt(clock, now()));
  const deadline = input.deadline ?? later(begins, toMillis(opened.timeout || usualTimeout(opened.service)));
  const timeout = secondsUntil(deadline, begins);
  const changes = { timeout, deadline };
  const held = (await holdRun(run, { ...claim, changes }, newest?.at, { store, now })) ?? run;
  return { held, times: { run: id, deadline, timeout, patience: opened.patience ?? input.patience } };
}
