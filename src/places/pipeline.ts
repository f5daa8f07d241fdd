import type { PersonsMessage } from '../core/lifecycle/persons-message.ts';
import type { RunEvent } from '../core/events/event.ts';
import type { Follow } from './follow/follow.ts';
import type { CallKey } from '../core/records/call.ts';
import type { Allowance } from '../core/records/amounts.ts';
import type { Run } from '../core/records/run.ts';
import type { RunStore } from '../core/records/ports.ts';
import type { Wake } from '../core/machine/wake.ts';
import type { Executions } from '../core/machine/executions.ts';
import type { Memories } from '../core/memory/memories.ts';

/** The result of killing an agent. */
export interface Killed {
  /** The runs that were ended. */
  ended: string[];
  /** Where others of its tree go on in this process: until all of that is closed in the store. */
  rest?: Promise<void>;
}

/** People's actions on agents. */
export interface Steering {
  /**
   * Hands a person's message to an agent.
   * @returns the ARN of the execution that was started for it; undefined where it reads the message in one that there is
   * @throws {ConfigError} if nothing brings the agent back
   */
  send(message: PersonsMessage): Promise<string | undefined>;
  /** Ends an agent and everything below it for good. @throws {ConfigError} if it is not there to be ended */
  kill(run: Run): Promise<void>;
  /** Resumes a run that has no answer. @returns and throws as `resumeRun` does */
  resume(run: Run, timeout: number | undefined): Promise<Run>;
}

/** Where runs are carried out: the port of commands, for any machine behind it. */
export interface Pipeline extends Pick<Steering, 'send'>, Follow {
  store: RunStore;
  memories: Memories;
  executions: Executions;
  /** Wakes the state that waits for a token. */
  wake: Wake;
  /** Wakes the agent that waits for the answer to a question, which is in the store. */
  wakeAsker(question: CallKey): Promise<void>;
  /**
   * Tells the listener of everything that happens in trees while they are carried out by `carryOut`.
   * @param deltas whether it wants the pieces of answers too, while models write them
   * @returns ends that
   */
  onEvent(listener: (event: RunEvent) => void, deltas?: 'deltas'): () => void;
  /**
   * Does the work that carries a run out, and returns when everything of its tree is closed in the store and told.
   * @throws {ConfigError} if another process carries the tree out already
   */
  carryOut<T>(run: string, work: () => Promise<T>): Promise<T>;
  /** Adds to what a tree may spend. @throws {ConfigError} if it has no such limit */
  addBudget(root: string, more: Allowance, by?: string): Promise<void>;
  /** Makes a copy of an agent, idle until it is written to. @throws {ConfigError} if the agent has not answered yet */
  fork(run: Run): Promise<Run>;
  /** Ends an agent and everything below it for good. @throws {ConfigError} if it is not there to be ended */
  kill(run: Run): Promise<Killed>;
  /** Where an execution can be followed step by step; undefined where there is no such place. */
  link(executionArn: string): string | undefined;
  /** Lets go of the store. */
  close(): Promise<void>;
}
