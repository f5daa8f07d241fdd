import type { ClosePorts } from '../turn/close.ts';
import type { Executions } from '../machine/executions.ts';
import type { Wake } from '../machine/wake.ts';

/** The ports for reaching agents: their records, their executions, and the states in which they wait. */
export interface ResidentPorts extends ClosePorts {
  executions: Pick<Executions, 'isRunning' | 'start' | 'stop'>;
  wake: Wake;
}

/** The ports for ending agents. */
export type EndingPorts = Omit<ResidentPorts, 'wake'>;

/** The ports for starting an agent again. */
export type StartingPorts = Pick<ResidentPorts, 'executions' | 'now' | 'store'>;

/** For a place where nothing runs and nothing is started, since its process is gone. */
export const NOTHING_RUNS: Pick<ResidentPorts, 'executions' | 'wake'> = {
  executions: { isRunning: async () => false, start: async (name) => name, stop: async () => {} },
  wake: async () => {},
};
