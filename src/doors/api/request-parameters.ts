import * as v from 'valibot';
import { RunStatus } from '../../core/reports/run-status.ts';
import { isRunId } from '../../core/records/run-id.ts';
import { only, wholeNumber } from './request.ts';

/** The schemas of queries and headers of requests. */

/** API Gateway's integrations end after 30 seconds ("Quotas for HTTP APIs"), with time to spare for the answer. */
const MAX_WAIT_SECONDS = 25;
const MAX_PAGE = 100;

export const NoQuery = v.strictObject({}, 'is not known; this route takes no parameters');

export const WaitQuery = only({
  wait: v.optional(
    v.pipe(
      wholeNumber(0, MAX_WAIT_SECONDS),
      v.description('Seconds to wait for the result before answering.'),
    ),
    0,
  ),
});

export const PageQuery = only({
  limit: v.optional(v.pipe(wholeNumber(1, MAX_PAGE), v.description('The most runs to list.')), 20),
  after: v.exactOptional(
    v.pipe(
      v.string('must be a string'),
      v.check(isRunId, 'must be the `next` of another page'),
      v.description('The `next` of another page.'),
    ),
  ),
  agent: v.exactOptional(v.pipe(v.string(), v.description('Only runs of this agent.'))),
  status: v.exactOptional(
    v.pipe(
      v.picklist(RunStatus.options, `must be one of ${RunStatus.options.join(', ')}`),
      v.description('Only runs in this state.'),
    ),
  ),
  text: v.exactOptional(
    v.pipe(
      v.string(),
      v.description('Only runs whose task or error contains this, in any case of its letters.'),
    ),
  ),
});
export type PageQuery = v.InferOutput<typeof PageQuery>;

export const StartHeaders = v.object({
  'idempotency-key': v.exactOptional(
    v.pipe(
      v.string(),
      v.regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters'),
      v.description('A key of your choice, such as a UUID: repeated requests with it start only one run.'),
    ),
  ),
});
