import type { Json } from '../../json.ts';
import { fitsDataLimit } from '../expressions/json-value.ts';

/** The names under which the service refuses a request, as `__type` of its answer has them. */
export type StatesApiErrorName =
  | 'ExecutionAlreadyExists'
  | 'ExecutionDoesNotExist'
  | 'ExecutionLimitExceeded'
  | 'ExecutionNotRedrivable'
  | 'InvalidArn'
  | 'InvalidDefinition'
  | 'InvalidExecutionInput'
  | 'InvalidName'
  | 'InvalidOutput'
  | 'InvalidToken'
  | 'MissingRequiredParameter'
  | 'StateMachineAlreadyExists'
  | 'StateMachineDeleting'
  | 'StateMachineDoesNotExist'
  | 'StateMachineTypeNotSupported'
  | 'TaskDoesNotExist'
  | 'TaskTimedOut'
  | 'Throttling'
  | 'UnknownOperationException'
  | 'SerializationException'
  | 'ValidationException';

/** A request that cannot be met, in the service's words. */
export class StatesApiError extends Error {
  constructor(
    override readonly name: StatesApiErrorName,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Why a state failed: what Retry and Catch match on, and what the execution ends with if neither does.
 * Error and Cause may both be absent, as in a Fail state that gives none.
 */
export class StateFailure extends Error {
  override readonly name = 'StateFailure';

  constructor(
    readonly errorName: string | undefined,
    readonly causeText: string | undefined,
    /** Further names under which a retrier or catcher may list this failure. */
    readonly alsoKnownAs: readonly string[] = [],
  ) {
    super(causeText ?? errorName ?? 'failed');
  }
}

/** Unwinds a thread of states whose execution, or whose Map or Parallel, has ended without it. No event follows. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/**
 * The failure of a state or task whose result takes more than 256 KiB, which States.ALL does not catch.
 * @returns undefined for one that fits
 */
export function dataLimitFailure(result: Json, stateOrTask: string): StateFailure | undefined {
  if (fitsDataLimit(result)) return undefined;
  return new StateFailure(
    'States.DataLimitExceeded',
    `The state/task '${stateOrTask}' returned a result with a size exceeding the maximum number of bytes service limit.`,
  );
}

/** Whether a retrier or catcher that lists `names` takes this failure. */
export function matchesError(names: readonly string[], failure: StateFailure): boolean {
  const error = failure.errorName ?? '';
  if (error === 'States.Runtime') return false;
  return names.some((name) => {
    if (name === error || failure.alsoKnownAs.includes(name)) return true;
    if (error === 'States.DataLimitExceeded') return false;
    return name === 'States.ALL' || (name === 'States.TaskFailed' && error !== 'States.Timeout');
  });
}
