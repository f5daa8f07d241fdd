import type { Json } from '../json.ts';
import type { DefinitionProblem } from './definition/field-checks.ts';
import type { ExecutionDescription, RenderedEvent, StatusChangeEvent } from './executions/descriptions.ts';
import type { EndStatus, ExecutionStatus, MachineType } from './executions/execution.ts';
import type { Clock, InvokeLambda } from './executions/ports.ts';

export interface StateMachinesOptions {
  invokeLambda: InvokeLambda;
  /**
   * Called for each start and end of an execution, nested ones included. Must not throw.
   * @param toEvent describes the execution as it is when called: callers ignore most changes
   */
  onStatusChange?: (status: ExecutionStatus, toEvent: () => StatusChangeEvent) => void;
  /** Whether the service has room for one more execution that a state starts; absent: it has. */
  hasRoom?: () => boolean;
  /** `us-east-1` if left out. */
  region?: string;
  /** Twelve digits, `123456789012` if left out. */
  account?: string;
  /** How many executions that have ended are kept, the latest; 1000 if left out. An older one no longer exists. */
  keepEnded?: number;
  clock?: Clock;
  /** Numbers from 0 up to 1, for the jitter of retries. */
  random?: () => number;
  /**
   * Finds the problems in the text of a definition. Absent: the given definitions have been checked, as ours is by its
   * tests. Loading the checker takes as long as loading everything that runs them.
   */
  checkDefinition?: (definition: string) => DefinitionProblem[];
}

export interface StateMachineDescription {
  stateMachineArn: string;
  name: string;
  /** JSON text, as it was given. */
  definition: string;
  roleArn: string;
  type: MachineType;
  status: 'ACTIVE';
  creationDate: Date;
  /** When it became what it is, which is when it was created unless it was changed since. */
  updateDate: Date;
}

/**
 * State machines and their executions in this process: the door by which the command uses the interpreter, and
 * behind the server. Values are JSON values, times are Dates, errors are StatesApiError with the service's names.
 * Express executions can be looked at and stopped here; the service, and with it the server, knows no such operations.
 */
export interface StateMachines {
  /**
   * Creates a state machine; the same request again is no error.
   * @param request.definition JSON text, or the object itself
   * @throws StatesApiError InvalidDefinition (naming everything that is wrong with it, and where), InvalidName,
   * StateMachineAlreadyExists
   */
  createStateMachine(request: {
    name: string;
    definition: string | { [key: string]: Json };
    roleArn: string;
    type?: string;
  }): { stateMachineArn: string; creationDate: Date };

  /**
   * Changes a state machine; omitted fields stay. Executions that have started keep what they were started with.
   * @param request.definition JSON text
   * @throws StatesApiError StateMachineDoesNotExist, InvalidDefinition, MissingRequiredParameter
   */
  updateStateMachine(request: {
    stateMachineArn: string;
    definition?: string | undefined;
    roleArn?: string | undefined;
  }): { updateDate: Date };

  /** @throws StatesApiError StateMachineDoesNotExist */
  describeStateMachine(stateMachineArn: string): StateMachineDescription;

  /** The state machine as it was when the execution started. @throws StatesApiError ExecutionDoesNotExist */
  describeStateMachineForExecution(executionArn: string): StateMachineDescription;

  listStateMachines(): StateMachineDescription[];

  /** Executions that run go on. No error if there is no such machine. */
  deleteStateMachine(stateMachineArn: string): void;

  /**
   * Starts an execution. The same name and input again, while it runs, is the same execution.
   * @param request.name a UUID if left out
   * @param request.input `{}` if left out
   * @throws StatesApiError StateMachineDoesNotExist, ExecutionAlreadyExists, InvalidName, InvalidExecutionInput
   */
  startExecution(request: { stateMachineArn: string; name?: string | undefined; input?: Json }): {
    executionArn: string;
    startDate: Date;
  };

  /** Of a Standard or an Express execution. @throws StatesApiError ExecutionDoesNotExist */
  describeExecution(executionArn: string): ExecutionDescription;

  /** Newest first. @throws StatesApiError StateMachineDoesNotExist */
  listExecutions(request: {
    stateMachineArn: string;
    statusFilter?: ExecutionStatus | undefined;
  }): ExecutionDescription[];

  /** @throws StatesApiError ExecutionDoesNotExist */
  getExecutionHistory(request: {
    executionArn: string;
    /** The last event first. */
    reverseOrder?: boolean;
    /** False leaves out inputs, outputs, parameters and variables. */
    includeExecutionData?: boolean;
    /** The part from `start` up to but without `end`; all if left out. */
    start?: number;
    end?: number;
  }): RenderedEvent[];

  /** Ends an execution and all that are nested in it. No effect if it has ended. */
  stopExecution(request: { executionArn: string; error?: string | undefined; cause?: string | undefined }): {
    stopDate: Date;
  };

  /**
   * Goes on with an execution that ended without success, from the states that did not end well, with its definition
   * and under its ARN. Of a Map or Parallel state only iterations and branches run again that had not succeeded;
   * retries are counted anew.
   * @param request.clientToken the same as that of the last redrive makes no other
   * @throws StatesApiError ExecutionDoesNotExist, ExecutionNotRedrivable
   */
  redriveExecution(request: { executionArn: string; clientToken?: string | undefined }): {
    redriveDate: Date;
  };

  /** @throws StatesApiError InvalidToken, TaskTimedOut, InvalidOutput */
  sendTaskSuccess(request: { taskToken: string; output: Json }): void;
  /** @throws StatesApiError InvalidToken, TaskTimedOut */
  sendTaskFailure(request: {
    taskToken: string;
    error?: string | undefined;
    cause?: string | undefined;
  }): void;
  /** @throws StatesApiError InvalidToken, TaskTimedOut */
  sendTaskHeartbeat(request: { taskToken: string }): void;

  /**
   * The execution as it was at its end, as soon as it ends.
   * @throws StatesApiError ExecutionDoesNotExist
   */
  ended(executionArn: string): Promise<ExecutionDescription & { status: EndStatus }>;

  /** Stops all executions that run, so that nothing keeps the process from ending. */
  stopAll(cause: string): void;
}
