import { AgentError, ModelError, StoreUnavailableError } from '../../src/errors.ts';
import { Death } from '../../test/fixtures/mortal.ts';
import type { Law } from './law.ts';

/** Whatever else a function throws is a fault in it, for which its run would fail as it does for these. */
const REASONS = [Death, StoreUnavailableError, ModelError, AgentError];

/** Where a function may use up its time: it is called again, or the call has ended with the time of its state before. */
const MAY_LAST = ['BatchFunction', 'ToolFunction'];

const isTooLate = (name: string, thrown: unknown) =>
  MAY_LAST.includes(name) && thrown instanceof DOMException && thrown.name === 'TimeoutError';

export const FAILURES_HAVE_REASONS: Law = {
  says: 'functions fail for what happens to them, and for no fault of their own',
  onFailed: ({ name, run }, thrown) =>
    isTooLate(name, thrown) || REASONS.some((reason) => thrown instanceof reason)
      ? []
      : [`${name} failed for ${run}: ${traceOf(thrown)}`],
};

function traceOf(thrown: unknown): string {
  return (thrown instanceof Error && thrown.stack) || String(thrown);
}
