import type { Allowance } from './amounts.ts';
import type { Message } from './message.ts';

/** What a caller asked for at the top of a tree: an agent, its prompt, and what differs from the agent's file. */
export interface RunRequest {
  agent: string;
  prompt?: string;
  /** Text that the prompt is about; a user's stdin. */
  context?: string;
  overrides?: Overrides;
  /** What was said before, as a client that keeps conversations itself has it: texts of users and of the agent. */
  earlier?: Message[];
  /** As in `Run`. */
  owner?: string;
}

/** What a caller may set in place of the agent's file; none of it reaches a sub-agent. */
export interface Overrides {
  model?: string;
  skill?: string;
  workdir?: string;
  /** Seconds for the whole run. */
  timeout?: number;
  /** Seconds that it may wait for people, unless the agent's file says otherwise. */
  patience?: number;
  /** The most tokens of one answer, unless the agent's file says less. */
  maxTokens?: number;
  /** For the run and everything below it. */
  budget?: Allowance;
}
