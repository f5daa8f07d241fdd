import { invoke } from './invoke.ts';
import { RECORD_RETRIES, TIMED_FUNCTION_RETRIES } from './retries.ts';

/** Seconds for one look at a bucket: the longest that a function lasts. */
const LOOK_SECONDS = 900;

/** Seconds in all: a batch is over within a day, and its answers are taken within another. */
const MOST_SECONDS = 345_600;

/**
 * The machine whose executions look after buckets: one each, which has the bucket's name, so that it is started once.
 * The function knows what is next, and when; this only waits until then. A look that failed for good is made again, since
 * nothing else would bring the answers that are paid for.
 *
 * `npm run generate` writes it to `infra/bucket.asl.json`.
 */
export const BUCKET = {
  Comment: 'Collects turns for a minute, has their models asked in batches, and brings the answers',
  QueryLanguage: 'JSONata',
  StartAt: 'Look',
  TimeoutSeconds: MOST_SECONDS,
  States: {
    Look: {
      Comment: 'Does what is next for the bucket',
      ...invoke('BatchFunction', {
        bucket: '{% $states.context.Execution.Input.bucket %}',
        model: '{% $states.context.Execution.Input.model %}',
      }),
      TimeoutSeconds: LOOK_SECONDS,
      Retry: [...TIMED_FUNCTION_RETRIES, ...RECORD_RETRIES],
      Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Leave it alone' }],
      Output: '{% $states.result.Payload %}',
      Next: 'Done?',
    },
    'Done?': {
      Type: 'Choice',
      Choices: [{ Condition: "{% $states.input.next = 'done' %}", Next: 'Done' }],
      Default: 'Wait',
    },
    Wait: { Type: 'Wait', Timestamp: '{% $states.input.at %}', Next: 'Look' },
    'Leave it alone': {
      Type: 'Wait',
      Comment: 'A key is missing, or the API fails: somebody mends it, or turns no longer wait',
      Seconds: 600,
      Next: 'Look',
    },
    Done: { Type: 'Succeed' },
  },
};
