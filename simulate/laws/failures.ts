import { AgentError, ModelError, StoreUnavailableError } from '../../src/errors.ts';
import { Death } from '../../test/fixtures/mortal.ts';
import type { Law } from './law.ts';

/** Whatever else a function throws is a fault in it, for which its run would fail as it does for these. */
const REASONS = [Death, StoreUnavailableError, ModelError, AgentError];

/** The machine of a bucket calls it again, whatever happens. */
const isCalledAgain = (name: string, thrown: unknown) =>
  name === 'BatchFunction' && thrown instanceof DOMException && thrown.name === 'TimeoutError';

export const FAILURES_HAVE_REASONS: Law = {
  says: 'functions fail for what happens to them, and for no fault of their own',
  onFailed: ({ name, run }, thrown) =>
    isCalledAgain(name, thrown) || REASONS.some((reason) => thrown instanceof reason)
      ? []
      : [`${name} failed for ${run}: ${traceOf(thrown)}`],
};

function traceOf(thrown: unknown): string {
  return (thrown instanceof Error && thrown.stack) || String(thrown);
}
