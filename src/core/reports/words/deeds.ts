import type { RunOverview } from '../run-schemas.ts';

/** What people may do to a run. */
type Offer = 'stop' | 'kill' | 'resume' | 'fork';

const BY_STATUS: Readonly<Record<RunOverview['status'], readonly Offer[]>> = {
  running: ['stop', 'kill'],
  idle: ['stop', 'kill', 'fork'],
  interrupted: ['kill', 'resume'],
  succeeded: ['fork'],
  budget_exceeded: ['fork'],
  failed: ['resume'],
  timed_out: ['resume'],
  stopped: ['resume'],
};

/**
 * Whether a deed is offered for a run in its current state. The environment that does it decides again, by the run's
 * own record. Trees are resumed as a whole, agents are killed below their top, and nothing brings a killed one back.
 */
export function isOffered(
  deed: Offer,
  { parent, status, killed }: Pick<RunOverview, 'parent' | 'status' | 'killed'>,
): boolean {
  if (killed) return false;
  const isTop = parent === undefined;
  const fits = (deed !== 'resume' || isTop) && (deed !== 'kill' || !isTop);
  return fits && BY_STATUS[status].includes(deed);
}
