import * as v from 'valibot';
import { LEAST_USD } from '../runs/amounts.ts';
import { isRunId } from '../runs/run-id.ts';
import { RunStatus } from '../reports/run-status.ts';

/** What requests hold. The OpenAPI document is made from these and from what answers say, which nothing checks here. */

export type * from './answers.ts';

/** API Gateway's integrations end after 30 seconds ("Quotas for HTTP APIs"), with time to spare for the answer. */
const MAX_WAIT_SECONDS = 25;
/** An execution of the machine lasts one year at most. */
const ONE_YEAR_SECONDS = 31_536_000;
const MAX_PAGE = 100;
const MAX_TURN = 1_000_000;

export const StartRun = v.strictObject(
  {
    prompt: v.exactOptional(text('What the agent is asked.')),
    context: v.exactOptional(text('The text that the prompt is about.')),
    model: v.exactOptional(
      v.pipe(
        v.string('must be a string'),
        v.maxLength(256, 'must have at most 256 characters'),
        v.regex(/^[^/\s]+\/\S+$/, 'must be provider/model-name'),
        v.description(
          "Replaces the agent's own with one that the operator lets callers choose; sub-agents keep theirs.",
        ),
      ),
    ),
    timeout: seconds('Seconds for the whole run'),
    budget: v.exactOptional(
      v.pipe(
        v.strictObject(
          {
            max_tokens: v.exactOptional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
            max_usd: v.exactOptional(dollars()),
            max_turns: v.exactOptional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
            max_tool_calls: v.exactOptional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
          },
          refusal,
        ),
        v.description(
          "For the run with everything below it; each limit at most the agent's own, if it sets one.",
        ),
      ),
    ),
  },
  refusal,
);
export type StartRun = v.InferOutput<typeof StartRun>;

export const AnswerQuestion = v.pipe(
  v.strictObject(
    {
      text: v.exactOptional(text('The answer, in words.')),
      choice: v.exactOptional(text('One of the choices of the question, instead of a text.')),
      arguments: v.exactOptional(
        v.pipe(
          v.record(v.string(), v.unknown(), 'must be an object'),
          // Lists pass for records, with their indexes as names.
          v.check((given) => !Object.hasOwn(given, '0'), 'must be an object'),
          v.description('With which a call is approved, in place of all those that the model wrote.'),
        ),
      ),
    },
    refusal,
  ),
  v.check(
    ({ text: words, choice }) => (words === undefined) !== (choice === undefined),
    'must have either text or choice',
  ),
);
export type AnswerQuestion = v.InferOutput<typeof AnswerQuestion>;

export const SendMessage = v.strictObject(
  {
    text: v.pipe(
      text('What the agent is told.'),
      v.check((words) => words.trim() !== '', 'must not be blank'),
    ),
  },
  refusal,
);

export const ResumeRun = v.strictObject(
  { timeout: seconds('Seconds from now on, instead of those that the run was opened with') },
  refusal,
);

export const AddBudget = v.pipe(
  v.strictObject(
    {
      max_tokens: v.exactOptional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
      max_usd: v.exactOptional(dollars()),
    },
    refusal,
  ),
  v.check(
    ({ max_tokens: tokens, max_usd: usd }) => (tokens ?? usd) !== undefined,
    'must have max_tokens, max_usd or both',
  ),
);

export const WaitQuery = v.object({
  wait: v.optional(
    v.pipe(
      wholeNumber(0, MAX_WAIT_SECONDS),
      v.description('Seconds to wait for the result before answering.'),
    ),
    0,
  ),
});

export const PageQuery = v.object({
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

export const MessagesQuery = v.object({
  from_turn: v.exactOptional(
    v.pipe(
      wholeNumber(1, MAX_TURN),
      v.description('The first turn to read; the first of all has what came before it.'),
    ),
  ),
  to_turn: v.exactOptional(
    v.pipe(wholeNumber(1, MAX_TURN), v.description('The last turn to read, with the results of its calls.')),
  ),
  max_characters: v.exactOptional(
    v.pipe(
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
      v.description('Longer texts are cut; each then has the length of the whole as `characters`.'),
    ),
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
});

export const EventsHeaders = v.object({
  'last-event-id': v.exactOptional(
    v.pipe(
      v.string(),
      v.description(
        'The `id` of the last event that you have: the answer goes on behind it. Absent: from the first.',
      ),
    ),
  ),
});

export const TreeEventsHeaders = v.object({
  'last-event-id': v.exactOptional(
    v.pipe(
      v.string(),
      v.description('The `id` of the last event that you have: what you have already is not sent again.'),
    ),
  ),
});

function refusal(issue: v.BaseIssue<unknown>): string {
  return issue.expected === 'never' ? 'is not known' : 'must be a JSON object';
}

function text(description: string) {
  return v.pipe(v.string('must be a string'), v.description(description));
}

/** Of a run. */
function seconds(what: string) {
  const limit = "at most the agent's own, or 120 if it sets none";
  return v.exactOptional(v.pipe(wholeNumber(1, ONE_YEAR_SECONDS), v.description(`${what}; ${limit}.`)));
}

function dollars() {
  return v.pipe(
    v.number('must be a number'),
    v.minValue(LEAST_USD, `must be at least ${LEAST_USD.toFixed(6)}`),
    v.maxValue(1_000_000, 'must be at most 1000000'),
  );
}

function wholeNumber(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return v.pipe(v.number(message), v.integer(message), v.minValue(min, message), v.maxValue(max, message));
}
