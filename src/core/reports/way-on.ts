import { categoryIn } from '../../errors.ts';
import { INCOMPLETE } from '../records/run.ts';
import type { RunOverview } from './run-schemas.ts';

/**
 * How a person brings a run on that has no whole answer, so that it does not end in the same way again. `none`: it has
 * its answer or is at work, or nothing brings it on.
 */
export type WayOn =
  | 'none'
  | 'resume'
  | 'resume_with_key'
  | 'resume_with_model'
  /** Trees are resumed as a whole, which leaves agents below the top that have failed as they are. */
  | 'send'
  | 'send_with_tokens'
  | 'send_with_dollars';

/** The one place that decides what is recommended; `nextStep` puts it into words. */
export function wayOn({
  status,
  parent,
  killed,
  error = '',
}: Pick<RunOverview, 'status' | 'parent' | 'killed' | 'error'>): WayOn {
  const isTop = parent === undefined;
  switch (status) {
    case 'running':
    case 'idle':
    case 'succeeded':
      return 'none';
    case 'interrupted':
      return 'resume';
    case 'budget_exceeded':
      return isTop ? afterLimit(error) : 'none';
    case 'failed':
    case 'timed_out':
      return isTop ? afterFailure(error) : 'send';
    case 'stopped':
      return killed ? 'none' : 'resume';
  }
}

/** People can add tokens and dollars to a tree, and to no other limit. The texts are those of `exceededText`. */
function afterLimit(exceeded: string): WayOn {
  if (/^budget exceeded: used \d+ of \d+ tokens/.test(exceeded)) return 'send_with_tokens';
  return exceeded.startsWith('budget exceeded: used $') ? 'send_with_dollars' : 'none';
}

function afterFailure(error: string): WayOn {
  const known = FAILURES.find(({ message }) => message.test(error));
  if (known !== undefined) return known.way;
  const category = categoryIn(error);
  if (category === 'auth') return 'resume_with_key';
  return category === 'bad_request' ? 'resume_with_model' : 'resume';
}

/** Failures that meet a run again if it is resumed as it is. */
const FAILURES: readonly { message: RegExp; way: WayOn }[] = [
  { message: /^API key for provider /, way: 'resume_with_key' },
  { message: /^(unsupported provider|invalid model format) "/, way: 'resume_with_model' },
  { message: /^max_usd cannot be enforced: the price of /, way: 'resume_with_model' },
  { message: new RegExp(`^${INCOMPLETE.refusal}$`), way: 'resume_with_model' },
  // Turns stay counted, and deleted records deleted.
  { message: /^agent exceeded maximum conversation turns /, way: 'none' },
  { message: / has been deleted$/, way: 'none' },
];
