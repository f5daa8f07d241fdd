import type { Json } from '../../json.ts';
import type { Instant } from '../records/times.ts';

/**
 * The port to start, watch and stop executions of the conversation machine: Step Functions in an account, the
 * embedded interpreter of `src/asl` in a local process.
 */
export interface Executions {
  /**
   * Starts an execution. Starting the same name with the same input while it runs gives the same execution.
   * @param name of an execution that carries a run: see `executionName`
   * @returns its ARN
   * @throws {AlreadyStartedError} if one of that name has ended, or another process carries it
   */
  start(name: string, input: Json): Promise<string>;

  /**
   * Whether the execution has not ended, as far as is known here.
   * @param since when it began to carry its run, if it does: nothing else is known of Express executions
   */
  isRunning(executionArn: string, since?: Instant): Promise<boolean>;

  /**
   * Stops the execution and, with it, every execution nested in it. No error if it has ended already, or is an Express
   * one: once its run is closed, it begins nothing more.
   * @param since as for `isRunning`: nothing is known yet of one that has just begun
   * @throws {ConfigError} if it is out of reach: another local process carries it, or none
   */
  stop(executionArn: string, cause: string, since?: Instant): Promise<void>;
}

/** How an execution ended, in the service's own words. */
export interface ExecutionEnd {
  status: 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';
  error?: string;
  cause?: string;
}

/** There is an execution of this name already, whose fate is in the store. */
export class AlreadyStartedError extends Error {
  override readonly name = 'AlreadyStartedError';
  /** Its ARN; absent where another process has it. */
  readonly execution: string | undefined;

  constructor(message: string, options: ErrorOptions & { execution?: string } = {}) {
    super(message, options);
    this.execution = options.execution;
  }
}
