import { createBackground } from '../../background.ts';
import type { LocalTime } from '../time.ts';

/** Closes the records of runs whose executions end in this process. */
export interface Closing {
  /** Waits for the opening of a run: one that is stopped meanwhile has a record to close only after that. */
  after<T>(opening: Promise<T>): Promise<T>;
  /** Takes the event of an end. */
  ended(event: unknown): void;
  /** Takes a failure in this process, which `settled` throws. */
  report(thrown: unknown): void;
  /** Waits until runs that have ended are closed, or could not be. */
  done(): Promise<void>;
  /** The same. @throws the first failure in this process since this threw one */
  settled(): Promise<void>;
}

/** @param settle closes the record of a run, by the event of its end */
export function createClosing(settle: (event: unknown) => Promise<unknown>, time: LocalTime): Closing {
  const openings = new Set<Promise<unknown>>();
  const settling = createBackground();
  return {
    after(opening) {
      const opened = opening.finally(() => openings.delete(opened));
      openings.add(opened);
      return opened;
    },
    ended(event) {
      const settled = Promise.allSettled(openings).then(() => settle(event));
      settling.begin(settled);
      void time.during(settled.catch(() => {}));
    },
    report: settling.report,
    // Ending one run may end others.
    done: settling.done,
    settled: settling.rested,
  };
}
