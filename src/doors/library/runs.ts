import type { Follow } from '../../places/follow/follow.ts';
import type { CallKey } from '../../core/records/call.ts';
import type { RunStore } from '../../core/records/ports.ts';
import type { Run } from '../../core/records/run.ts';
import type { Executions } from '../../core/machine/executions.ts';
import type { Steering } from '../../places/pipeline.ts';

/** The runs of a place: the differences between this process and a deployed environment. */
export interface Runs extends Steering, Follow {
  store: RunStore;
  executions: Executions;
  /** @throws {ConfigError} if the agent cannot be run like this, as far as can be told before it begins */
  check(agent: string, given: { model?: string | undefined; workdir?: string | undefined }): Promise<void>;
  /**
   * Begins to carry a run out.
   * @param begin starts its execution
   */
  carry(run: string, begin: () => Promise<string>): Promise<Carried>;
  /** Whether the tree of this root, which has not ended, has a carrier. */
  isCarriedOut(root: string): Promise<boolean>;
  stop(run: Run): Promise<void>;
  wakeAsker(question: CallKey): Promise<void>;
  now(): number;
  /** How often it is worth looking for new records, in milliseconds. */
  pollMs: number;
  /** Stops the runs that this process carries, and waits until that is recorded. */
  stopAll(): Promise<void>;
  close(): Promise<void>;
}

/** A run with an execution of its own. */
export interface Carried {
  execution: string;
  /** Waits until all of its tree has ended and is closed in the store. */
  ended(): Promise<void>;
}
