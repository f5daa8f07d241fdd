import * as v from 'valibot';

/** The status that a run is shown with. */
export const RunStatus = v.picklist([
  'running',
  'idle',
  'succeeded',
  'budget_exceeded',
  'failed',
  'timed_out',
  'stopped',
  'interrupted',
]);
