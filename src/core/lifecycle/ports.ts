import type { ClosePorts } from '../turn/close.ts';
import type { Executions } from '../machine/executions.ts';
import type { Wake } from '../machine/wake.ts';

/** The ports that reaching agents takes: their records, their executions, and the states in which they wait. */
export interface ResidentPorts extends ClosePorts {
  executions: Pick<Executions, 'isRunning' | 'start' | 'stop'>;
  wake: Wake;
}

/** The ports that ending agents takes. */
export type EndingPorts = Omit<ResidentPorts, 'wake'>;

/** The ports that starting an agent again takes. */
export type StartingPorts = Pick<ResidentPorts, 'executions' | 'now' | 'store'>;

/** Where nothing runs and nothing is started: the process that did is gone. */
export const NOTHING_RUNS: Pick<ResidentPorts, 'executions' | 'wake'> = {
  executions: { isRunning: async () => false, start: async (name) => name, stop: async () => {} },
  wake: async () => {},
};
