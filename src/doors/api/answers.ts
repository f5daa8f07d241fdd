import * as v from 'valibot';
import { CallReport, LimitReport, PlanReport, ToolReport } from '../../core/reports/agent-report.ts';
import { CostRow } from '../../core/reports/cost-report.ts';
import { DayLimitReport } from '../../core/reports/day-limit-report.ts';
import { EvalOverview } from '../../core/reports/eval-report.ts';
import {
  Conversation,
  FoundWords,
  RunOverview,
  RunReport,
  TreeReport,
} from '../../core/reports/run-schemas.ts';
import { OPENAI_APIS, REASONING_EFFORTS } from '../../core/records/message.ts';

/** The schemas of answers. The OpenAPI document is made from these, and tests compare answers with them. */

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
    temperature: v.exactOptional(v.pipe(v.number(), v.description('Absent: none is sent.'))),
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
  schedule: v.exactOptional(
    v.object({
      expression: v.string(),
      timezone: v.string(),
      enabled: v.boolean(),
      next: v.pipe(
        v.nullable(v.pipe(v.string(), v.isoTimestamp())),
        v.description('When it comes due next; null: never.'),
      ),
    }),
  ),
  tools: v.pipe(
    v.array(ToolReport),
    v.description('By name; in a list of agents without the tools of servers, and without descriptions.'),
  ),
  calls: v.pipe(v.array(CallReport), v.description('The agents that it may call.')),
});
export type AgentResource = v.InferOutput<typeof Agent>;

export const UploadAddress = v.object({
  hash: v.string(),
  url: v.pipe(v.string(), v.description('Where to PUT the bytes.')),
  headers: v.pipe(v.record(v.string(), v.string()), v.description('Those that the request has to have.')),
});

export type UploadAddress = v.InferOutput<typeof UploadAddress>;

export const AgentList = v.object({
  agents: v.array(Agent),
  faults: v.pipe(
    v.array(v.object({ agent: v.string(), detail: v.string() })),
    v.description('Agents whose files are wrong, and what is wrong with them.'),
  ),
});
export type AgentList = v.InferOutput<typeof AgentList>;

/**
 * Where to fetch a text that is too large for an answer.
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

/** An agent with all that shapes its runs. */
export const AgentDetails = v.object({
  ...Agent.entries,
  file: v.exactOptional(
    v.pipe(
      v.string(),
      v.description(
        'Its file, as its author wrote it. Absent for callers with a JWT, and where it was not deployed.',
      ),
    ),
  ),
  version: v.pipe(
    v.nullable(v.string()),
    v.description('That a run begun now would have; null if none would begin: see `fault`.'),
  ),
  prompt: v.pipe(
    v.nullable(v.string()),
    v.description(
      'The system prompt that a run would begin with, with skill and files and without its memory; null if none would begin, or it is too long: see `prompt_link`.',
    ),
  ),
  prompt_link: v.exactOptional(Link),
  fault: v.exactOptional(v.pipe(v.string(), v.description('Why no run of it would begin.'))),
  skill: v.exactOptional(v.string()),
  files: v.pipe(v.array(v.string()), v.description('Paths of the files in the prompt, below its workdir.')),
  servers: v.pipe(
    v.array(v.string()),
    v.description('Names of its servers of tools. They are not asked: `tools` has what they offered last.'),
  ),
  remembers: v.pipe(v.boolean(), v.description('Whether entries of its memory follow the prompt.')),
  limits: LimitReport,
  plan: PlanReport,
});
export type AgentDetails = v.InferOutput<typeof AgentDetails>;

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
  about: v.exactOptional(
    v.pipe(
      v.picklist(['result', 'text']),
      v.description(
        'What a hook asks about: the result of that call, or a text of the agent. It is approved or denied as it is. Absent: the call itself, whose arguments may be changed.',
      ),
    ),
  ),
  arguments: v.exactOptional(
    v.pipe(
      v.record(v.string(), v.unknown()),
      v.description('Of that call, as the model wrote them; long texts are cut.'),
    ),
  ),
  leads_to: v.exactOptional(
    v.pipe(
      v.string(),
      v.description(
        'Where the path of that call leads, if elsewhere than it reads. The call is made there or not at all.',
      ),
    ),
  ),
  asked_at: v.pipe(v.string(), v.isoTimestamp()),
  expires_at: v.pipe(
    v.nullable(v.pipe(v.string(), v.isoTimestamp())),
    v.description('When the agent goes on without an answer.'),
  ),
});

export const QuestionDetails = v.object({
  ...Question.entries,
  arguments: v.exactOptional(
    v.pipe(
      v.record(v.string(), v.unknown()),
      v.description('Of the call that waits for approval, whole, or the result or text that does.'),
    ),
  ),
  parameters: v.exactOptional(
    v.pipe(
      v.record(v.string(), v.unknown()),
      v.description('The JSON Schema of the arguments that the tool takes.'),
    ),
  ),
  ended: v.exactOptional(
    v.pipe(
      v.object({
        at: v.pipe(v.string(), v.isoTimestamp()),
        answer: v.exactOptional(v.pipe(v.string(), v.description('Absent: none came in time.'))),
        by: v.exactOptional(v.pipe(v.string(), v.description('Who answered, where that is known.'))),
      }),
      v.description('Absent while it is open.'),
    ),
  ),
});
export type QuestionDetails = v.InferOutput<typeof QuestionDetails>;

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

/** @public by way of the OpenAPI document */
export const ListedRun = v.object({
  ...RunResource.entries,
  found: v.exactOptional(
    v.pipe(FoundWords, v.description('Where the words are that were looked for; absent if none were.')),
  ),
});
export type ListedRun = v.InferOutput<typeof ListedRun>;

export const Costs = v.object({
  rows: v.array(CostRow),
  next: v.pipe(
    v.nullable(v.string()),
    v.description(
      'The day to go on with, as `until`: so many days were too much for one answer. null: it is all.',
    ),
  ),
  limits: v.pipe(
    v.array(DayLimitReport),
    v.description('The limits per day that the caller may know of; none: there are none.'),
  ),
});
export type Costs = v.InferOutput<typeof Costs>;

export const EvalList = v.object({
  evals: v.pipe(
    v.array(EvalOverview),
    v.description('The newest first, at most 50; none in an account, where none are kept.'),
  ),
});
export type EvalList = v.InferOutput<typeof EvalList>;

const ServerId = v.pipe(v.string(), v.description('Of the server, in the paths of its routes.'));

export const ServerList = v.object({
  servers: v.pipe(
    v.array(
      v.object({
        id: ServerId,
        name: v.pipe(v.string(), v.description('As the first of the agents calls it.')),
        host: v.pipe(v.string(), v.description('Where it answers.')),
        agents: v.pipe(v.array(v.string()), v.description('Those that use it.')),
        connected: v.pipe(v.boolean(), v.description('Whether the caller has signed in to it.')),
        lacks: v.exactOptional(
          v.pipe(
            v.string(),
            v.description(
              'The scopes that it has wanted since, with spaces between them: connect once more.',
            ),
          ),
        ),
        how_to: v.exactOptional(
          v.pipe(v.string(), v.description('How to sign in where that cannot be done here, in words.')),
        ),
      }),
    ),
    v.description('The servers of agents that a person signs in to.'),
  ),
});
export type ServerList = v.InferOutput<typeof ServerList>;

export const SignInAddress = v.object({
  url: v.pipe(v.string(), v.description('Where the caller signs in, in a browser.')),
});

export const ServerChanged = v.object({ id: ServerId });

export const Disconnected = v.object({
  id: ServerId,
  not_revoked: v.optional(
    v.pipe(
      v.string(),
      v.description(
        'Why the tokens stay valid at the authorization server until they end; absent: they do not.',
      ),
    ),
  ),
});
export type Disconnected = v.InferOutput<typeof Disconnected>;

export const RunList = v.object({
  runs: v.array(ListedRun),
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

/** A piece of the answer that a model is writing, behind `offset` characters of it. */
export type WritingEvent = NonNullable<Conversation['writing']> & { offset: number };

export const RunResult = v.object({
  ...RunReport.entries,
  content: v.pipe(
    v.nullable(v.string()),
    v.description(
      'The last answer that the run gave, even if a later message failed; empty if it never gave one, and null if it is too long: see `content_link`.',
    ),
  ),
  content_link: v.exactOptional(Link),
});
export type RunResult = v.InferOutput<typeof RunResult>;

export const QuestionList = v.object({ questions: v.array(Question) });
export type QuestionList = v.InferOutput<typeof QuestionList>;

export const GivenAnswer = v.object({
  run_id: v.string(),
  question_id: v.string(),
  answer: v.string(),
  answered_at: v.pipe(v.string(), v.isoTimestamp()),
});
export type GivenAnswer = v.InferOutput<typeof GivenAnswer>;
