import type { WaitState } from './definition.ts';
import { EvaluationError } from './failure.ts';
import { parseTimestamp } from './timestamp.ts';
import type { Exit, Visit } from './visit.ts';

/** The longest that the service lets a Wait state wait, more than three years. */
const MAX_SECONDS = 99_999_999;

/** Waits for some seconds or until a time. A time that has passed is no wait. */
export async function enterWait(visit: Visit, state: WaitState): Promise<Exit> {
  const { clock } = visit.thread.execution.environment;
  const delay = await waitMilliseconds(visit, state, clock.now());
  if (delay > 0) await visit.thread.cancellation.wait<void>((resolve) => clock.after(delay, () => resolve()));
  return visit.exit(state, visit.input);
}

async function waitMilliseconds(visit: Visit, state: WaitState, now: number): Promise<number> {
  if (state.seconds !== undefined) {
    const accepts = (seconds: number) => Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_SECONDS;
    return (
      1000 * (await visit.number(state.seconds, 'Seconds', accepts, `an integer from 0 to ${MAX_SECONDS}`))
    );
  }
  if (state.timestamp === undefined) throw new TypeError(`state "${state.name}" waits for nothing`);
  const text = await visit.text(state.timestamp);
  const until = parseTimestamp(text);
  if (until === undefined) {
    throw new EvaluationError(
      `The Timestamp field cannot be parsed as an ISO-8601 extended offset date-time format string: ${text}`,
      'Timestamp',
    );
  }
  return until - now;
}
