import { AgentError } from '../errors.ts';
import { pausedAt } from '../runs/clock.ts';
import { DEFAULT_TIMEOUT, secondsUntil } from '../runs/deadline.ts';
import { openedEvent, type EmitRunEvent } from '../runs/event.ts';
import type { RunStore } from '../runs/ports.ts';
import { holdRun, isHeldBy, type Claim } from './hold.ts';

export interface ReopenPorts {
  store: RunStore;
  emit: EmitRunEvent;
  now: () => number;
}

/** What the machine hands over of a run that goes on because somebody has written to it. */
interface Woken {
  run: string;
  claim: Claim;
  /** By the tree's clock, in milliseconds since 1970; absent: the run has time of its own. */
  deadline?: number | undefined;
  /** Seconds that the tree may wait for people in all; a root has its own. */
  patience: number;
}

/**
 * Has an execution carry on a run that was opened before, with everything that it was opened with.
 * @returns the times of the execution: see `OpenOutput`
 * @throws {AgentError} if the run was never opened
 */
export async function reopenRun({ run: id, claim, ...input }: Woken, { store, emit, now }: ReopenPorts) {
  const [run, opened, newest] = await Promise.all([store.run(id), store.opened(id), store.newestTurn(id)]);
  if (run === undefined || opened === undefined) throw new AgentError(`run "${id}" was never opened`);
  const clock = await store.clock(run.root);
  const begins = now() - pausedAt(clock, now());
  const deadline = input.deadline ?? begins + 1000 * (opened.timeout || DEFAULT_TIMEOUT);
  const timeout = secondsUntil(deadline, begins);
  const held = await holdRun(run, claim, newest?.at, { store, now });
  if (held !== undefined) {
    const own = await store.updateRun(
      id,
      (current) => (isHeldBy(current, claim) ? { ...current, timeout } : current),
      held,
    );
    emit(openedEvent(own ?? held));
  }
  return { run: id, deadline, timeout, patience: opened.patience ?? input.patience };
}
