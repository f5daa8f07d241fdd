import * as v from 'valibot';
import { only, wholeNumber } from './request.ts';

/** The schemas of queries and headers of requests. */

/** API Gateway's integrations end after 30 seconds ("Quotas for HTTP APIs"), with time to spare for the answer. */
const MAX_WAIT_SECONDS = 25;

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

export const StartHeaders = v.object({
  'idempotency-key': v.exactOptional(
    v.pipe(
      v.string(),
      v.regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters'),
      v.description('A key of your choice, such as a UUID: repeated requests with it start only one run.'),
    ),
  ),
  traceparent: v.exactOptional(
    v.pipe(
      v.string(),
      v.description(
        'The span of this request (W3C Trace Context): the spans of the run are below it. One that is malformed is passed over.',
      ),
    ),
  ),
});
