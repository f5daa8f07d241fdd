import type { Executions } from '../../core/machine/executions.ts';
import type { RunStore } from '../../core/records/ports.ts';

/** The port to where scenarios are played: an environment in an account, or the interpreter in this process. */
export interface Place {
  store: RunStore;
  executions: Executions;
  /** How often to poll, in milliseconds. */
  pollMs: number;
  /** Why it takes no signed requests; absent if it does. */
  whyNoRequests?: string;
  /** The events of an execution so far, in order, as GetExecutionHistory gives them. */
  history(executionArn: string): Promise<unknown[]>;
  /** Redrives a stopped execution. */
  redrive(executionArn: string): Promise<void>;
  /** Asks the HTTP API. @param isSigned whether the request is authenticated, as the API wants it */
  ask(method: 'GET' | 'POST', path: string, isSigned: boolean, body?: object): Promise<HttpAnswer>;
  /** Has a schedule start an agent once. @returns the id of the run, which begins when its time has come */
  schedule(agent: string, prompt: string): Promise<string>;
  /** Removes the schedules that are left, and releases everything. */
  close(): Promise<void>;
}

export interface HttpAnswer {
  status: number;
  /** JSON. */
  body: unknown;
}
