import type { EmitRunEvent, RunStore } from '../conversation/ports.ts';
import type { Executions } from '../executions/executions.ts';
import type { RunLocks } from './run-lock.ts';

/** Where runs are carried out: the ports that commands use, wherever the machine behind them is. */
export interface Pipeline {
  store: RunStore;
  executions: Executions;
  /** Tells the listener of everything that happens from now on. */
  onEvent(listener: EmitRunEvent): void;
  /** Waits until what has ended is closed in the store too. */
  settled(): Promise<void>;
  locks: RunLocks;
  /** Lets go of the store. */
  close(): Promise<void>;
}
