import type { Allowance } from '../../../core/records/amounts.ts';
import { toAllowance, type AskedLimits } from '../../../places/run-request.ts';

/** The amounts that a command's options add to the budget of a tree; undefined: none. */
export function addedBy(limits: AskedLimits): Allowance | undefined {
  const more = toAllowance(limits);
  return Object.keys(more).length > 0 ? more : undefined;
}
