import type { RunOverview } from '../../../core/reports/run-schemas.ts';
import { wayOn } from '../../../core/reports/way-on.ts';

const GOES_ON = 'it goes on where it broke off, and nothing that was answered is paid for again.';
const ADD = 'Add to the budget, then write to it: it goes on with all that it knows.';

/** A person's options for a run that has no whole answer; undefined where there are none. */
export function adviceFor(run: RunOverview): string | undefined {
  if (run.killed) return 'The agents that count on it were told. Nothing brings it back.';
  const way = wayOn(run);
  if (way !== 'none' && run.parent !== undefined) {
    return 'The agent that called it was told. Resume the run at the top if the whole tree broke off.';
  }
  switch (way) {
    case 'resume':
      return `Resume it: ${GOES_ON}`;
    case 'resume_with_key':
      return `Once its provider takes the key, resume it: ${GOES_ON}`;
    case 'resume_with_model':
      return `Resume it with another model: ${GOES_ON}`;
    case 'send_with_tokens':
    case 'send_with_dollars':
      return ADD;
    default:
      return undefined;
  }
}
