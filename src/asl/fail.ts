import type { FailState } from './definition.ts';
import { StateFailure } from './failure.ts';
import type { Visit } from './visit.ts';

/** Always fails, with the Error and Cause that the state gives. */
export async function enterFail(visit: Visit, state: FailState): Promise<never> {
  const error = state.error && (await visit.text(state.error));
  const cause = state.cause && (await visit.text(state.cause));
  throw new StateFailure(error, cause);
}
