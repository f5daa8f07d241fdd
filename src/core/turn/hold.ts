import * as v from 'valibot';
import { reopened } from '../records/reopened.ts';
import { ANSWERED, OPEN, isIn, phaseOf } from '../records/phase.ts';
import type { Run } from '../records/run.ts';
import { treeInstant, seconds, type Instant } from '../records/times.ts';
import type { RunStore } from '../records/ports.ts';
import { defined } from '../../defined.ts';

/**
 * The right to carry a run. The claim is a fencing token, not a lease: the record holds a number, an execution takes
 * the run over with a higher one, and an execution with a lower number than the record's changes nothing any more. The
 * number is checked before a model is asked and before a record is closed.
 */
export interface Claim {
  /** Which execution of the run it is; each redrive counts as one more. */
  holder: number;
  /** Its ARN. */
  execution: string;
  /** Whether a message wakes the run, so that it goes on even if it has its answer. */
  isWoken?: boolean;
  /** As in `Run`. */
  wokenBy?: string | undefined;
  /** As in `Run`. */
  isForPerson?: boolean;
  /** The further changes to a run that is taken over. */
  changes?: Partial<Pick<Run, 'model' | 'timeout' | 'deadline' | 'version' | 'pack' | 'parentHolder'>>;
}

/** How an input of the machine says which run it is about, and with which claim its execution carries that. */
export const CLAIM = { run: v.string(), holder: v.number(), execution: v.string() };

/** How an input of the machine gives a duration. */
export const SECONDS = v.pipe(v.number(), v.transform(seconds));

/** How an input of the machine says when the time of a run is over. */
export const DEADLINE = v.pipe(v.number(), v.transform(treeInstant));

export function isHeldBy(run: Run, { holder, execution }: Claim): boolean {
  return run.holder === holder && run.execution === execution;
}

/**
 * Makes sure that an execution carries the run, and takes the run over if its number is higher.
 * @param lastSeen when the run last did anything, which counts towards the time that was spent on it
 * @returns the record as it is carried now; undefined if this execution does not carry it, or the run has ended
 */
export async function holdRun(
  run: Run,
  claim: Claim,
  lastSeen: string | undefined,
  { store, now }: { store: RunStore; now: () => Instant },
): Promise<Run | undefined> {
  if (isHeldBy(run, claim)) return isIn(OPEN, run) ? run : undefined;
  if (!mayTake(run, claim)) return undefined;
  const held = await store.updateRun(
    run.id,
    (current) => (mayTake(current, claim) ? takenOver(current, claim, lastSeen, now()) : current),
    run,
  );
  return held !== undefined && isHeldBy(held, claim) && held.status === 'running' ? held : undefined;
}

/** A run that has its answer keeps it until it is written to; nothing brings back one that was killed. */
function mayTake(run: Run, { holder, isWoken = false }: Claim): boolean {
  return holder > run.holder && phaseOf(run) !== 'killed' && (isWoken || !isIn(ANSWERED, run));
}

function takenOver(run: Run, claim: Claim, lastSeen: string | undefined, now: number): Run {
  const { holder, execution, wokenBy, isForPerson, changes } = claim;
  const {
    wokenBy: _wokenBy,
    isForPerson: _isForPerson,
    deadline: _,
    ...others
  } = reopened(run, now, lastSeen);
  return {
    ...others,
    ...changes,
    holder,
    execution,
    ...defined({ wokenBy }),
    ...(isForPerson && { isForPerson }),
  };
}
