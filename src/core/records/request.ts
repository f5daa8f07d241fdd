import { type Seconds } from './times.ts';
import type { Allowance } from './amounts.ts';
import type { WithAttachments } from './attachment.ts';
import type { Message } from './message.ts';
import type { ForkedFrom } from './run.ts';
import type { ServiceWord } from '../../token-usage.ts';
import type { Tags } from './tags.ts';

/**
 * A caller's request at the top of a tree: an agent, its prompt with what is attached to it, and the differences from the
 * agent's file.
 */
export interface RunRequest extends WithAttachments {
  agent: string;
  prompt?: string;
  /** Text that the prompt is about; a user's stdin. */
  context?: string;
  overrides?: Overrides;
  /** The earlier messages, as a client that keeps conversations itself has them: texts of users and of the agent. */
  earlier?: Message[];
  /** As in `Run`; the conversation is opened as a copy, and not from the agent's file. */
  forkedFrom?: ForkedFrom;
  /** As in `Run`. */
  owner?: string;
  /** As in `Run`. */
  issuer?: string;
  /** As in `Run`. */
  tags?: Tags;
  /** As in `Run`. */
  traceparent?: string;
}

/** The settings that a caller may give instead of the agent's file; only `service` reaches sub-agents. */
export interface Overrides {
  model?: string;
  skill?: string;
  workdir?: string;
  /** How models serve it, and its sub-agents if that is `batch`, unless their files say otherwise. */
  service?: ServiceWord;
  /** For the whole run. */
  timeout?: Seconds;
  /** How long it may wait for people, unless the agent's file says otherwise. */
  patience?: Seconds;
  /** The most tokens of one answer, unless the agent's file says less. */
  maxTokens?: number;
  /** For the run and everything below it. */
  budget?: Allowance;
}
