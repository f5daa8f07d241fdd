import type { Environment } from '../../places/environment.ts';

/** Where scenarios are played: an environment, and what can be asked of its machine and its API beside that. */
export interface Rig extends Environment {
  /** How often to poll, in milliseconds. */
  pollMs: number;
  /** Why it takes no signed requests; absent if it does. */
  whyNoRequests?: string;
  /** The events of an execution so far, in order, as GetExecutionHistory gives them. */
  history(executionArn: string): Promise<unknown[]>;
  /** Stops an execution as people do in the console: what the record of its run says follows from an event. */
  halt(executionArn: string): Promise<void>;
  /** Does something while nobody is told of executions that end. */
  unnoticed<T>(work: () => Promise<T>): Promise<T>;
  /** What tells one deployment from the next: the definition, which names versions of functions. */
  revision(): Promise<string>;
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
