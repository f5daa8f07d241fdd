import type { Seconds } from '../core/records/times.ts';
import type { PersonsAnswer } from '../core/lifecycle/answer-question.ts';
import type { Follow } from './follow/follow.ts';
import type { ForkPoint } from '../core/lifecycle/fork-from-turn.ts';
import type { PersonsMessage } from '../core/lifecycle/persons-message.ts';
import type { Allowance } from '../core/records/amounts.ts';
import type { NewAttachment } from '../core/records/attachment.ts';
import type { CallKey } from '../core/records/call.ts';
import type { Mail } from '../core/records/mail.ts';
import type { Binding, RunReader } from '../core/records/ports.ts';
import type { Opened } from '../core/records/opened.ts';
import type { Answer } from '../core/records/question.ts';
import type { LimitsPerDay } from '../core/records/limits-per-day.ts';
import type { RunRequest } from '../core/records/request.ts';
import type { Run } from '../core/records/run.ts';
import type { Published } from './store/blobs.ts';
import type { Uploads } from './uploads.ts';
import type { EndedOptions } from './until-rested.ts';

/**
 * Where agents run: the one port that every door holds. A door does not know whether agents run in this process, in an
 * account or in a test. An operation that a run's state does not allow throws a `ConfigError`.
 */
export interface Environment extends Follow {
  /** Of one that is deployed, as the command takes it; absent: a folder. */
  readonly name?: string;

  /** The records of runs. */
  readonly records: RunReader;

  /** What a day may cost here. */
  perDay(): Promise<LimitsPerDay>;

  /**
   * Starts a run. When this returns, its execution is accepted and its record written. A run that is there is returned
   * as it is.
   * @throws {ConfigError} if the agent, its model or its workdir cannot be used
   * @throws {KeyInUseError} if something else was asked for with the caller's own key
   * @throws {StartingError} if another process is about to start it
   * @throws {DayLimitError} where a limit per day has nothing left for it
   */
  start(run: NewRun): Promise<Run>;

  /**
   * Continues a run that has no answer, with its whole tree. Completed work is not repeated.
   * @returns the record, whose `holder` carries the run from now on
   * @throws {ConfigError} if it is not the top of its tree, or is being carried out
   * @throws {NothingLeftError} if it has its answer, and nothing of its tree is left to do
   * @throws {AgentError | MissingKeyError} if the model cannot be used, as far as that is known here
   */
  resume(run: Run, options?: ResumeOptions): Promise<Run>;

  /**
   * Hands a person's message to an agent: an agent at work reads it with its next turn; one that is idle or has ended
   * continues.
   * @throws {ConfigError} if nothing brings the agent back, or the message is empty or too long
   */
  send(message: PersonsMessage): Promise<Sent>;

  /**
   * Answers a question.
   * @param by the person who answers, if known
   * @throws {AnsweredError} if it was answered otherwise, its time is over, or the agent was killed
   * @throws {ConfigError} if there is no such question, or the answer cannot be taken
   */
  answer(question: CallKey, given: PersonsAnswer, by?: string): Promise<Answer>;

  /** Goes on as if the time for an answer were over. */
  decline(question: CallKey): Promise<void>;

  /**
   * Makes a copy of an agent. In the agent's tree, the copy is idle until its first message; in a tree of its own, it
   * continues at once from one of the agent's turns, makes no call again, and restores no file.
   * @param copy with an id: in a tree of its own
   * @throws {ConfigError} if the agent has not answered yet, or has no such turn
   * @throws as `start` does
   */
  fork(run: Run, copy?: NewFork | Pick<NewFork, 'once'>): Promise<Run>;

  /**
   * Stops a run with everything below it. It returns when the stop is accepted; `ended` waits until it is recorded.
   * @param by the person who stops it, if known
   * @returns the record, with the holder that is being stopped
   * @throws {EndedError} if the run has ended
   * @throws {ConfigError} if it is an idle fork, which nothing carries out
   */
  stop(run: Run, cause: string, by?: string): Promise<Run>;

  /**
   * Ends an agent and everything below it for good. The others of its tree continue wherever it is carried.
   * @param by the person who ends it, if known
   * @returns the runs that were ended, as far as that is known on acceptance
   * @throws {ConfigError} if it is the top of its tree, or neither at work nor idle
   */
  kill(agent: Run, by?: string): Promise<string[]>;

  /**
   * Adds to the budget of a tree.
   * @param by the person who adds it, if known
   * @throws {ConfigError} if it has no such limit
   */
  addBudget(root: string, more: Allowance, by?: string): Promise<void>;

  /**
   * Waits until a run rests: it has ended and no message is about to bring it back, or it has no carrier any more.
   * @returns the record at that moment, or when the signal is aborted
   */
  ended(run: string, options?: EndedOptions): Promise<Run>;

  /** The messages of an agent, as a person sees to them. */
  mailbox(run: string): Mailbox;

  /**
   * Binds a key.
   * @param of the run whose own key it is: it is removed with that run
   * @returns what it is bound to: the first binding stays
   */
  once(key: string, binding: Binding, of?: string): Promise<Binding>;

  /**
   * Keeps a text that is too large for an answer where clients can fetch it.
   * @param key a blob key
   * @returns its URL, absolute or relative to that of the door
   */
  publish(key: string, text: string): Promise<Published>;

  /** The files that clients leave ahead of the request that names them. */
  readonly uploads: Uploads;

  /** Where people can follow an execution step by step; undefined if nothing shows it. */
  link(execution: string): string | undefined;

  /** Stops the runs that this process carries, and waits until that is recorded. Runs carried elsewhere go on. */
  stopAll(cause: string): Promise<void>;

  /** Closes everything that it has opened. The runs that this process carries should have been stopped by then. */
  close(): Promise<void>;
}

export interface NewRun {
  /** As `newRunId` makes it. */
  id: string;
  request: RunRequest;
  /** A key of the caller's: the same request with it finds the run that the first one started. */
  once?: string | undefined;
  /** The files that the request names as attachments, which are kept before it starts; absent: none. */
  files?: readonly NewAttachment[];
  /** Opens its conversation, which is stored before it starts; absent: it is opened from its agent's file. */
  open?: (id: string) => Opened;
}

/** A copy at the top of a tree of its own. */
export interface NewFork extends ForkPoint {
  /** As in `NewRun`. */
  id: string;
  /** As in `NewRun`. */
  once?: string | undefined;
}

export interface ResumeOptions {
  /** From now, in place of the time that it was started with. */
  timeout?: Seconds | undefined;
  /** `provider/model-name`, in place of the model of the run; those below it keep theirs. */
  model?: string | undefined;
  /** Added to what the tree may spend, before it goes on. */
  add?: Allowance | undefined;
  /** The person who resumes it, if known. */
  by?: string | undefined;
}

export interface Sent {
  /** The id of the message. */
  mail: string;
  /** The execution that was started for it; absent if there was none, or only the environment knows it. */
  execution?: string | undefined;
  /** Whether another process carries the tree, and finds the message there. */
  isLeftToAnother: boolean;
}

export interface Mailbox {
  /** Oldest first. */
  list(): Promise<Mail[]>;
  /** Keeps a text for a fork beside the messages, out of the agent's sight. */
  capture(text: string): Promise<Mail>;
  /** Notes which fork got a captured text; none: it was cancelled. */
  endCapture(mail: string, fork?: string): Promise<void>;
  /** @returns undefined if there is no such message */
  markRead(mail: string): Promise<Mail | undefined>;
  /** @returns whether there was such a message */
  delete(mail: string): Promise<boolean>;
}
