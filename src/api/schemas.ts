import * as v from 'valibot';
import { LEAST_USD } from '../runs/amounts.ts';
import { isRunId } from '../runs/run-id.ts';
import { OPENAI_APIS, REASONING_EFFORTS } from '../runs/message.ts';
import { Conversation, RunOverview, RunReport, RunStatus, TreeReport } from '../reports/run-schemas.ts';

/** What requests hold and answers say. The OpenAPI document is made from these. */

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

export const Agent = v.object({
  name: v.string(),
  description: v.string(),
  model: v.string(),
  timeout: v.pipe(v.number(), v.description("Seconds for a whole run; 0 means the caller's.")),
  sub_agents: v.array(v.string()),
  sub_agents_config: v.object({
    max_depth: v.number(),
    parallel: v.boolean(),
    timeout: v.pipe(v.number(), v.description('Seconds for each; 0 means what is left of the run.')),
  }),
  params: v.object({
    temperature: v.number(),
    max_tokens: v.number(),
    reasoning_effort: v.exactOptional(v.picklist(REASONING_EFFORTS)),
    api: v.exactOptional(v.picklist(OPENAI_APIS)),
  }),
  budget: v.pipe(
    v.object({
      max_tokens: v.number(),
      max_usd: v.number(),
      max_turns: v.number(),
      max_tool_calls: v.number(),
    }),
    v.description('For a run with everything below it; 0 means no limit.'),
  ),
  schedule: v.exactOptional(v.object({ expression: v.string(), timezone: v.string(), enabled: v.boolean() })),
});
export type AgentResource = v.InferOutput<typeof Agent>;

export const AgentList = v.object({
  agents: v.array(Agent),
  faults: v.pipe(
    v.array(v.object({ agent: v.string(), detail: v.string() })),
    v.description('Agents whose files are wrong, and what is wrong with them.'),
  ),
});
export type AgentList = v.InferOutput<typeof AgentList>;

/**
 * Where to fetch what is too large for an answer.
 * @public by way of the OpenAPI document
 */
export const Link = v.object({
  url: v.pipe(
    v.string(),
    v.url(),
    v.description(
      'Takes a GET: in an account without a signature, elsewhere with the same headers as other requests.',
    ),
  ),
  bytes: v.pipe(v.number(), v.integer()),
  expires_at: v.pipe(v.string(), v.isoTimestamp()),
});

export const Health = v.object({ ok: v.literal(true), version: v.string() });

/** @public by way of the OpenAPI document */
export const Question = v.object({
  run_id: v.pipe(v.string(), v.description('The run that asks.')),
  root: v.pipe(v.string(), v.description('The run at the top of its tree.')),
  agent: v.string(),
  question_id: v.string(),
  question: v.string(),
  choices: v.pipe(
    v.array(v.string()),
    v.description(
      'Answers to choose from; any other text is an answer too, but to an approval only `deny` and a reason.',
    ),
  ),
  tool: v.exactOptional(
    v.pipe(v.string(), v.description('The tool whose call waits for approval; absent where the agent asks.')),
  ),
  arguments: v.exactOptional(
    v.pipe(
      v.record(v.string(), v.unknown()),
      v.description('Of that call, as the model wrote them; long texts are cut.'),
    ),
  ),
  asked_at: v.pipe(v.string(), v.isoTimestamp()),
  expires_at: v.pipe(
    v.nullable(v.pipe(v.string(), v.isoTimestamp())),
    v.description('When the agent goes on without an answer.'),
  ),
});

/** @public by way of the OpenAPI document */
export const Budget = v.pipe(
  v.object({
    max_tokens: v.exactOptional(v.number()),
    max_usd: v.exactOptional(v.number()),
    max_turns: v.exactOptional(v.number()),
    max_tool_calls: v.exactOptional(v.number()),
  }),
  v.description(
    'What the whole tree may spend, with everything that was added to it; what has no limit is absent.',
  ),
);
export type Budget = v.InferOutput<typeof Budget>;

/** A run, with everything below it added up. */
export const RunResource = v.object({
  ...RunOverview.entries,
  tree: TreeReport,
  execution_url: v.exactOptional(
    v.pipe(
      v.string(),
      v.url(),
      v.description('Its execution in the console of Step Functions; absent for runs of `cadre serve`.'),
    ),
  ),
});
export type RunResource = v.InferOutput<typeof RunResource>;

export const RunList = v.object({
  runs: v.array(RunResource),
  next: v.pipe(v.nullable(v.string()), v.description('For `after`; null on the last page.')),
});
export type RunList = v.InferOutput<typeof RunList>;

export const RunTree = v.object({
  ...RunResource.entries,
  runs: v.pipe(
    v.nullable(v.array(RunOverview)),
    v.description('The run and all runs below it; null if they are too many: see `runs_link`.'),
  ),
  runs_link: v.exactOptional(Link),
  budget: v.exactOptional(Budget),
  open_questions: v.pipe(
    v.array(Question),
    v.description('What agents of the tree ask people at this moment.'),
  ),
});
export type RunTree = v.InferOutput<typeof RunTree>;

export const RunMessages = v.union([
  Conversation,
  v.pipe(
    v.object({ conversation_link: Link }),
    v.description('A conversation that is too long for an answer.'),
  ),
]);
export type RunMessages = v.InferOutput<typeof RunMessages>;

export const RunResult = v.object({
  ...RunReport.entries,
  content: v.pipe(
    v.nullable(v.string()),
    v.description('The answer; empty unless the run succeeded; null if it is too long: see `content_link`.'),
  ),
  content_link: v.exactOptional(Link),
});
export type RunResult = v.InferOutput<typeof RunResult>;

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

export const QuestionList = v.object({ questions: v.array(Question) });
export type QuestionList = v.InferOutput<typeof QuestionList>;

export const GivenAnswer = v.object({
  run_id: v.string(),
  question_id: v.string(),
  answer: v.string(),
  answered_at: v.pipe(v.string(), v.isoTimestamp()),
});
export type GivenAnswer = v.InferOutput<typeof GivenAnswer>;
