import type { AskedRun } from '../../places/run-request.ts';
import type { RunEvent } from '../../core/events/event.ts';
import type { OpenQuestion } from './questions.ts';
import type { RunSummary } from './run-summary.ts';

/** Where agents run: in this process, with their records in a folder, or in a deployed environment. */
export interface CadreOptions {
  /** The project's folder, with `agents/` and `.cadre/` in it; the current one if absent. */
  folder?: string | undefined;
  /** A folder of agents to use instead of the project's and the user's own, like `--agents-dir`. */
  agentsDir?: string | undefined;
  /** A deployed environment, such as `dev`, found with the AWS credentials of this process. */
  environment?: string | undefined;
  /** Where Lambda's API is, in place of AWS's own; for runs in this process. */
  lambdaEndpoint?: string | undefined;
  /** Takes warnings about files that can still be used; absent: `process.emitWarning`. */
  onWarning?: ((message: string) => void) | undefined;
}

/** The request for a run, and its differences from the agent's file; none of the latter reaches a sub-agent. */
export interface StartOptions extends AskedRun {
  /** Images, PDFs and texts that go with it: paths, relative to the current folder, or bytes. */
  attach?: readonly (string | Uint8Array)[] | undefined;
  /** Stops the run with everything below it. */
  signal?: AbortSignal | undefined;
}

export interface RunOptions extends StartOptions {
  /**
   * Called with the events of the tree as they happen. It must not throw. In this process that includes the pieces of
   * answers as models write them. A call that asks an agent or a person is reported by what it leads to: `run_opened`
   * with its `parent`, `question_asked` and `question_answered`. The list that `watch` gives has every call.
   */
  onEvent?: ((event: RunEvent) => void) | undefined;
}

export interface RunResult {
  /** The answer; only what there was of one if `run.status` is `budget_exceeded`. */
  content: string;
  /** The same as a value, if the agent has an output schema and the answer matches it. */
  output?: unknown;
  run: RunSummary;
}

/** What goes with a message to an agent. */
export type SendOptions = Pick<StartOptions, 'attach'>;

/** Where a copy continues a conversation, and what is different in it: it has a turn, a text or both. */
export interface ForkOptions {
  /** The turn that it makes anew, from 1; absent: the one after the newest answer. */
  turn?: number | undefined;
  /** In place of the words that the turn was made for; absent: the same words. */
  text?: string | undefined;
  /** `provider/model-name`, in place of the run's. */
  model?: string | undefined;
  /** Seconds, in place of those that its tree was given. */
  timeout?: number | undefined;
  /** Stops the copy with everything below it. */
  signal?: AbortSignal | undefined;
}

/** Which runs are listed: the newest at the top of their trees. */
export interface ListOptions {
  agent?: string | undefined;
  status?: RunSummary['status'] | undefined;
  /** How many at most; 20 if absent. */
  limit?: number | undefined;
}

/** A run that is under way. */
export interface StartedRun {
  id: string;
  /**
   * Waits for its answer.
   * @throws {RunError} if it ends without one
   * @throws the signal's reason if it was stopped by the signal that it was started with
   */
  result(): Promise<RunResult>;
}

/** The agents of a project or of a deployed environment, and their runs. */
export interface Cadre {
  /**
   * Runs an agent and waits for its answer.
   * @throws {ConfigError} if there is no such agent, or its file or an option is wrong
   * @throws {AgentError} if its model is none
   * @throws {RunError} if the run ends without an answer
   * @throws the signal's reason, once the run has been stopped
   */
  run(agent: string, options?: RunOptions): Promise<RunResult>;
  /**
   * Starts a run without waiting for it. A run in this process continues until it ends or `close` is called.
   * @throws {ConfigError} and {AgentError} as `run` does
   */
  start(agent: string, options?: StartOptions): Promise<StartedRun>;
  /**
   * Continues a run that has no answer, after a crash, a stop or a failure. Completed work is not repeated.
   * @param options.timeout seconds from now, in place of those that it was started with
   * @param options.model `provider/model-name`, in place of the one that it has; those below it keep theirs
   * @throws {ConfigError} if there is no such run, it has its answer, or it still has a carrier
   * @throws {AgentError} if the model is none, or has no provider here
   * @throws {MissingKeyError} if its provider has no key here
   */
  resume(
    run: string,
    options?: { timeout?: number; model?: string; signal?: AbortSignal },
  ): Promise<StartedRun>;
  /**
   * Writes to the agent of a run. An agent at work reads it with its next turn; one that has answered continues with
   * it, in this process or in the environment.
   * @returns the run; its result waits for the agent's answer
   * @throws {ConfigError} if there is no such run, it cannot be continued, or the message is empty or too long
   */
  send(run: string, text: string, options?: SendOptions): Promise<StartedRun>;
  /**
   * Ends an agent for good, with everything below it, and tells the agents that count on it.
   * @throws {ConfigError} if there is no such run, it is at the top of its tree, or it is neither at work nor idle
   */
  kill(run: string): Promise<void>;
  /**
   * Makes a copy of an agent that has answered, with its whole conversation, idle until it is sent a message.
   * @returns the copy
   * @throws {ConfigError} if there is no such run, it has not answered yet, or nothing would reach a copy
   */
  fork(run: string): Promise<RunSummary>;
  /**
   * Continues from a turn of a run in a new tree, with other words or another model. The original run does not change,
   * no call that it made is made again, and no file is restored.
   * @throws {ConfigError} if there is no such run, or no such turn of it
   * @throws {AgentError} and {MissingKeyError} as `resume` does
   */
  fork(run: string, from: ForkOptions): Promise<StartedRun>;
  /** The newest runs. @throws {ConfigError} if an option is wrong */
  runs(options?: ListOptions): Promise<RunSummary[]>;
  /**
   * The current state of a run; `content` is "" until it has an answer.
   * @throws {ConfigError} if there is no such run
   */
  show(run: string): Promise<RunResult>;
  /**
   * The events of a run and everything below it, from its beginning until it has ended or has no carrier any more, in
   * whichever process.
   * @param options.signal ends only the watching
   * @throws {ConfigError} if there is no such run
   */
  watch(run: string, options?: { signal?: AbortSignal }): AsyncGenerator<RunEvent, void>;
  /**
   * Stops a run with everything below it, and waits until that is recorded. It can be resumed.
   * @throws {ConfigError} if there is no such run, or it has ended
   */
  stop(run: string): Promise<void>;
  /** The open questions to people, of all runs. */
  questions(): Promise<OpenQuestion[]>;
  /**
   * Answers a question: one of `questions()`, or an event of the type `question_asked`. One with a `tool` takes
   * `approve`, `deny` with or without a reason, or `always`, which also approves later calls of the tool in the run.
   * @param options.arguments with which the call is approved, in place of those that the model wrote
   * @throws {AnsweredError} if it was answered otherwise, the time for an answer is over, or the agent was killed
   * @throws {ConfigError} if there is no such question, or the answer is empty or too long
   */
  answer(
    question: Pick<OpenQuestion, 'run' | 'turn' | 'call'>,
    text: string,
    options?: { arguments?: OpenQuestion['arguments'] },
  ): Promise<void>;
  /** Stops the runs that this process carries, and closes the store. Deployed runs continue. */
  close(): Promise<void>;
}
