import * as v from 'valibot';

/** What a run is shown as. */
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
