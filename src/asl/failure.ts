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

/** An expression that failed, or gave what its field cannot take: becomes States.QueryEvaluationError. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';

  constructor(
    message: string,
    /** The field that was being evaluated, such as `Output/items[0]`. */
    readonly location: string | undefined,
  ) {
    super(message);
  }
}

/** Unwinds a thread of states whose execution, or whose Map or Parallel, has ended without it. No event follows. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** What the service says of data over 256 KiB; States.ALL does not catch it. */
export function dataLimitExceeded(stateOrTask: string): StateFailure {
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
