import type { RunOverview } from '../../../core/reports/run-schemas.ts';

/** A person's options for a run that has no whole answer; undefined where there are none. */
export function adviceFor({ status, parent, killed, incomplete }: RunOverview): string | undefined {
  if (killed) return 'The agents that count on it were told. Nothing brings it back.';
  if (incomplete === 'max_tokens') return 'Write to it to have the rest, or raise max_tokens in its file.';
  switch (status) {
    case 'failed':
    case 'timed_out':
    case 'stopped':
    case 'interrupted':
      return parent === undefined
        ? 'Resume it: it goes on where it broke off, and nothing that was answered is paid for again.'
        : 'The agent that called it was told. Resume the run at the top if the whole tree broke off.';
    case 'budget_exceeded':
      return 'Add to the budget, then write to it: it goes on with all that it knows.';
    default:
      return undefined;
  }
}
