import type { Executions } from '../executions/executions.ts';
import type { RunStore } from '../runs/ports.ts';

/** The port to where scenarios are played: an environment in an account, or the interpreter in this process. */
export interface Place {
  store: RunStore;
  executions: Executions;
  /** How often what is waited for is looked at, in milliseconds. */
  pollMs: number;
  /** Why it takes no requests that are signed; absent where it does. */
  whyNoRequests?: string;
  /** The events of an execution so far, in order, as GetExecutionHistory gives them. */
  history(executionArn: string): Promise<unknown[]>;
  /** Goes on with an execution that was stopped, under its own name. */
  redrive(executionArn: string): Promise<void>;
  /** Asks the HTTP API. @param isSigned whether it says who asks, as the API wants it */
  ask(method: 'GET' | 'POST', path: string, isSigned: boolean, body?: object): Promise<Answer>;
  /** Has a schedule start an agent once. @returns the id of the run, which begins when its time has come */
  schedule(agent: string, prompt: string): Promise<string>;
  /** Removes what is left of schedules, and lets go of everything. */
  close(): Promise<void>;
}

export interface Answer {
  status: number;
  /** JSON. */
  body: unknown;
}
