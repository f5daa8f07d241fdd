import * as v from 'valibot';
import { ATTACHMENT_TYPES } from '../records/attachment.ts';
import { CALL_FAILURES } from '../records/call.ts';
import type { Incomplete } from '../records/run.ts';
import { SPAN_KINDS } from '../records/spans.ts';
import { REASONING_EFFORTS } from '../records/message.ts';
import { HOOK_POINTS, HOOK_WORDS } from '../records/hook.ts';
import { DECISIONS } from '../records/question.ts';
import { RunStatus } from './run-status.ts';
import { WAYS_ON } from './way-on.ts';

/** The output of `--json` and the API's answers about runs: one shape for both, documented here. */

const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

const CallReference = v.pipe(
  v.object({ run: v.string(), turn: Count, call: Count }),
  v.description('The call that started this run. Turns and calls count from 1.'),
);

const Status = v.pipe(RunStatus, v.description('`interrupted`: it has not ended, and its process is gone.'));

const cost = {
  usd: v.pipe(
    v.nullable(v.number()),
    v.description('The cost of its models in dollars; null if a price is not known.'),
  ),
  cache_read_tokens: v.pipe(
    Count,
    v.description("Those of the input tokens that were read from a provider's cache."),
  ),
  cache_write_tokens: v.pipe(
    Count,
    v.description("Those of the input tokens that were written to a provider's cache."),
  ),
};

const error = v.exactOptional(
  v.pipe(v.string(), v.description('Why it did not succeed, or passed over messages of other agents.')),
);

const incomplete = v.exactOptional(
  v.pipe(
    v.picklist(['max_tokens', 'refusal', 'guardrail'] satisfies Incomplete[]),
    v.description(
      'Why its answer is not whole: it was cut at its limit of tokens, refused, or blocked by a guardrail. Absent: it is.',
    ),
  ),
);

const since = v.pipe(v.string(), v.isoTimestamp());

/** The reason why a run does not go on. */
export const Wait = v.variant('for', [
  v.object({ for: v.pipe(v.literal('model'), v.description('The next answer of its model.')), since }),
  v.object({ for: v.pipe(v.literal('agents'), v.description('Runs below it.')), since }),
  v.object({
    for: v.pipe(v.literal('tool'), v.description('The result of a tool.')),
    since,
    tool: v.string(),
    subject: v.pipe(v.string(), v.description('A path, a command or an address; empty if there is none.')),
  }),
  v.object({
    for: v.pipe(v.literal('person'), v.description('An answer, or an approval of a call.')),
    since,
    question_id: v.string(),
    question: v.string(),
    tool: v.exactOptional(v.pipe(v.string(), v.description('The tool whose call waits for approval.'))),
  }),
  v.object({
    for: v.pipe(v.literal('messages'), v.description('Messages of other agents, or their ends.')),
    since,
    from: v.exactOptional(v.array(v.string())),
  }),
]);
export type Wait = v.InferOutput<typeof Wait>;

const times = v.exactOptional(
  v.pipe(
    v.object({
      own: v.pipe(Count, v.description('Its own work, such as reading its conversation.')),
      model: v.pipe(Count, v.description('Answers of its model, with the waits of requests that failed.')),
      tool: v.pipe(Count, v.description('Results of tools.')),
      agents: v.pipe(Count, v.description('Runs below it.')),
      messages: v.pipe(Count, v.description('Messages of other agents.')),
      person: v.pipe(Count, v.description('Answers and approvals of people.')),
      idle: v.pipe(Count, v.description('It had answered, and was not written to yet.')),
      gap: v.pipe(
        Count,
        v.description('Nothing carried it: it had ended otherwise, or its process was gone.'),
      ),
    }),
    v.description(
      'How it spent its time, in milliseconds: all of it since its start, but for what it does at this moment. Without `idle` and `gap` they are its duration. Absent: not known.',
    ),
  ),
);

const spans = v.exactOptional(
  v.pipe(
    v.array(v.tuple([v.picklist(SPAN_KINDS), v.nullable(Count)])),
    v.description(
      'The same as a sequence of kinds and milliseconds, each from the end of the one before, and the first from its start; `null`: it has not ended. Short ones are joined to their neighbours. Only in a tree; absent: not known.',
    ),
  ),
);

/** Where words were found that a list of runs was asked for. */
export const FoundWords = v.object({
  run_id: v.pipe(v.string(), v.description('The run of the tree that most of them are in.')),
  turn: v.exactOptional(v.pipe(Count, v.description('Absent: in its task, a tag or an error.'))),
  text: v.pipe(v.string(), v.description('The text around the first of them.')),
});
export type FoundWords = v.InferOutput<typeof FoundWords>;

/** A run in a list or a tree. */
export const RunOverview = v.object({
  run_id: v.string(),
  agent: v.string(),
  status: Status,
  model: v.pipe(v.string(), v.description('`provider/model-name`; empty if the agent could not be loaded.')),
  version: v.exactOptional(
    v.pipe(
      v.string(),
      v.regex(/^[0-9a-f]{12}$/),
      v.description(
        "A digest of what shaped it apart from its task: its agent's settings, model, prompt and tools. A run that was derived from its caller has its caller's. Absent: it was not opened, or by an earlier release.",
      ),
    ),
  ),
  pack: v.exactOptional(
    v.pipe(
      v.string(),
      v.description(
        'During a rollout, the pack that its tree takes agents from: their folder and a digest, `agents-next@1f0e6b2c9a47`. Absent: there was one pack.',
      ),
    ),
  ),
  depth: v.pipe(Count, v.description('0 at the top of a tree.')),
  parent: v.exactOptional(CallReference),
  name: v.exactOptional(
    v.pipe(v.string(), v.description('What other agents of its tree call it; absent: as its agent.')),
  ),
  derived_by: v.exactOptional(
    v.pipe(
      v.string(),
      v.description(
        "The tool that derived it from its caller; absent if it was opened from its agent's file.",
      ),
    ),
  ),
  beside: v.exactOptional(
    v.pipe(
      v.literal(true),
      v.description('It goes on beside the agent that started it, which does not wait for it.'),
    ),
  ),
  forked_from: v.exactOptional(
    v.pipe(
      v.object({
        root: v.pipe(v.string(), v.description('The run at the top of its tree.')),
        run_id: v.string(),
        turn: Count,
      }),
      v.description(
        'The run whose conversation it takes up, as that was before this turn; absent: it began its own, or is a copy in the same tree.',
      ),
    ),
  ),
  task: v.pipe(v.string(), v.description('The beginning of what it was asked, in one line.')),
  tags: v.exactOptional(
    v.pipe(
      v.record(v.string(), v.string()),
      v.description('What its caller noted to find it by; only at the top of a tree. Absent: nothing.'),
    ),
  ),
  started_at: v.pipe(v.string(), v.isoTimestamp()),
  ended_at: v.pipe(v.nullable(v.pipe(v.string(), v.isoTimestamp())), v.description('null while it runs.')),
  duration_ms: v.pipe(
    v.nullable(Count),
    v.description(
      'How long it was worked on, without the time between its end and its being resumed; as far as is known, of one that is interrupted. null while it runs.',
    ),
  ),
  times,
  spans,
  turns: v.pipe(
    Count,
    v.description('Of the run alone, without the runs below it; the same applies to the next six.'),
  ),
  tool_calls: Count,
  input_tokens: Count,
  output_tokens: Count,
  ...cost,
  failed_calls: v.pipe(Count, v.description('Tool calls of the run alone whose results are errors.')),
  retries: v.pipe(
    Count,
    v.description("Requests of the run alone that were sent again because its model's API had failed."),
  ),
  error,
  incomplete,
  killed: v.exactOptional(
    v.pipe(
      v.literal(true),
      v.description(
        'It was killed, so nothing brings it back; its `status` is `stopped`. Absent: it was not.',
      ),
    ),
  ),
  stopped_by: v.exactOptional(
    v.pipe(
      v.string(),
      v.description(
        'Who stopped or killed it, or its caller and it with that, where that is known: a person, `the API`, `its program` or `its client`.',
      ),
    ),
  ),
  resumed_by: v.exactOptional(
    v.pipe(v.string(), v.description('Who resumed it last, where that is known: a person, or `the API`.')),
  ),
  way_on: v.exactOptional(
    v.pipe(
      v.picklist(WAYS_ON),
      v.description(
        'What brings it on where it has no whole answer: `gone` that nothing does. Absent: nothing has to, or nothing does.',
      ),
    ),
  ),
  waits_for: v.exactOptional(
    v.pipe(
      v.array(Wait),
      v.description('What it waits for; only where a tree is followed, and only while it runs.'),
    ),
  ),
});
export type RunOverview = v.InferOutput<typeof RunOverview>;

/** A run with everything below it, added up. */
export const TreeReport = v.object({
  runs: Count,
  turns: Count,
  tool_calls: Count,
  input_tokens: Count,
  output_tokens: Count,
  ...cost,
});
export type TreeReport = v.InferOutput<typeof TreeReport>;

/** The answer as a value. */
export const output = v.exactOptional(
  v.pipe(
    v.unknown(),
    v.description(
      'The same as JSON, valid against the `[output]` schema of the agent; absent if it has none.',
    ),
  ),
);

/** The result of a run. The first seven keys are axe's. */
export const RunReport = v.object({
  model: v.string(),
  content: v.pipe(
    v.string(),
    v.description(
      'The last answer that the run gave, even if a later message failed; empty if it never gave one.',
    ),
  ),
  output,
  input_tokens: v.pipe(
    Count,
    v.description("Of the run's own turns; the same applies to `output_tokens` and `tool_calls`."),
  ),
  output_tokens: Count,
  stop_reason: v.pipe(v.string(), v.description("The model's own word for why its last answer ended.")),
  duration_ms: Count,
  tool_calls: Count,
  run_id: v.string(),
  status: Status,
  turns: Count,
  ...cost,
  error,
  incomplete,
  tree: TreeReport,
});
export type RunReport = v.InferOutput<typeof RunReport>;

/** The fate of a call that needed approval. */
export const ApprovalReport = v.object({
  run_id: v.string(),
  agent: v.string(),
  call: v.pipe(v.string(), v.description('`t2c1`: the first call of the second turn.')),
  tool: v.string(),
  decision: v.pipe(v.nullable(v.picklist(DECISIONS)), v.description('null: not decided yet.')),
  by: v.exactOptional(v.pipe(v.string(), v.description('Who decided, where that is known.'))),
  reason: v.exactOptional(v.string()),
  arguments: v.exactOptional(
    v.pipe(
      v.record(v.string(), v.unknown()),
      v.description('With which it was approved, in place of what the model wrote.'),
    ),
  ),
  ended_at: v.pipe(v.nullable(v.pipe(v.string(), v.isoTimestamp())), v.description('null while it waits.')),
});
export type ApprovalReport = v.InferOutput<typeof ApprovalReport>;

/** What a hook decided. */
export const HookReport = v.object({
  run_id: v.string(),
  call: v.pipe(
    v.string(),
    v.description('`t2c1`: the first call of the second turn; `t2c0`: the text of that turn.'),
  ),
  tool: v.exactOptional(v.pipe(v.string(), v.description('Absent: it was asked about a text.'))),
  hook: v.pipe(v.string(), v.description("Its function's name, or its module's path.")),
  on: v.picklist(HOOK_POINTS),
  decision: v.picklist(HOOK_WORDS),
  reason: v.exactOptional(v.string()),
  fault: v.exactOptional(v.pipe(v.string(), v.description('Why it failed, and so denied.'))),
  at: v.pipe(v.string(), v.isoTimestamp()),
});
export type HookReport = v.InferOutput<typeof HookReport>;

const hooks = v.exactOptional(
  v.pipe(v.array(HookReport), v.description('What hooks decided about it; absent: nothing.')),
);

const characters = v.exactOptional(
  v.pipe(Count, v.description('Of the whole text, or of the arguments as JSON; absent if nothing is cut.')),
);

const ToolCall = v.object({
  id: v.string(),
  name: v.string(),
  arguments: v.record(v.string(), v.unknown()),
  characters,
  run: v.exactOptional(v.pipe(v.string(), v.description('The run that the call started.'))),
  approval: v.exactOptional(ApprovalReport),
  hooks,
});

const attachments = v.exactOptional(
  v.pipe(
    v.array(
      v.object({
        hash: v.pipe(v.string(), v.description('Where its bytes are: /runs/{id}/attachments/{hash}.')),
        type: v.picklist(ATTACHMENT_TYPES),
        bytes: Count,
        width: v.exactOptional(Count),
        height: v.exactOptional(Count),
        pages: v.exactOptional(Count),
      }),
    ),
    v.description('The images and documents beside the text; absent: none.'),
  ),
);

const ToolResult = v.object({
  call_id: v.string(),
  name: v.string(),
  text: v.string(),
  characters,
  is_error: v.boolean(),
  attachments,
  failure: v.exactOptional(
    v.pipe(v.picklist(CALL_FAILURES), v.description('Why the call failed, where that is known.')),
  ),
  duration_ms: v.exactOptional(v.pipe(Count, v.description('How long the call took, where that is known.'))),
});

const sources = v.exactOptional(
  v.pipe(
    v.array(v.object({ title: v.string(), url: v.string() })),
    v.description(
      'The pages that the answer cites, where the provider of its model searched the web; absent: none.',
    ),
  ),
);

const TurnReport = v.pipe(
  v.object({
    number: Count,
    finished_at: v.pipe(v.string(), v.isoTimestamp()),
    duration_ms: v.pipe(Count, v.description('How long the model took.')),
    input_tokens: Count,
    output_tokens: Count,
    ...cost,
    sources,
  }),
  v.description('The turn that the answer was given in; absent if it was inherited.'),
);

const RunSettings = v.pipe(
  v.object({
    model: v.string(),
    temperature: v.exactOptional(v.pipe(v.number(), v.description('Absent: none is sent.'))),
    max_tokens: Count,
    reasoning_effort: v.exactOptional(v.picklist(REASONING_EFFORTS)),
    tools: v.pipe(v.array(v.string()), v.description('The names of the tools that it is offered.')),
    mode: v.exactOptional(v.picklist(['auto', 'ask', 'plan'])),
    skill: v.exactOptional(v.string()),
  }),
  v.description('What the run was opened with; absent before that.'),
);

const Captured = v.pipe(
  v.array(
    v.object({
      text: v.string(),
      characters,
      at: v.pipe(v.string(), v.isoTimestamp()),
      fork: v.exactOptional(v.pipe(v.string(), v.description('The fork that was given it; absent: none.'))),
      cancelled: v.exactOptional(v.literal(true)),
    }),
  ),
  v.description('What people typed for forks in a chat, out of sight of the model; absent: nothing.'),
);

/** The messages to a run's model, and its answers. */
export const Conversation = v.object({
  system: v.pipe(v.string(), v.description('The system prompt, with skill and files.')),
  system_characters: characters,
  settings: v.exactOptional(RunSettings),
  turns: v.pipe(Count, v.description('How many turns the whole conversation has.')),
  input_characters: v.exactOptional(
    v.pipe(
      Count,
      v.description(
        'How many of its first message, at the end, are the text that the task is about: they stay where a fork from the first turn has another task. Absent: none.',
      ),
    ),
  ),
  captured: v.exactOptional(Captured),
  writing: v.exactOptional(
    v.pipe(
      v.object({
        turn: Count,
        text: v.string(),
        thinking: v.exactOptional(v.pipe(v.string(), v.description('The end of its thoughts so far.'))),
      }),
      v.description("The text so far of its model's next answer; only while a client watches."),
    ),
  ),
  messages: v.array(
    v.variant('role', [
      v.object({ role: v.literal('user'), text: v.string(), characters, attachments }),
      v.object({
        role: v.literal('assistant'),
        text: v.string(),
        characters,
        calls: v.array(ToolCall),
        hooks,
        turn: v.exactOptional(TurnReport),
      }),
      v.object({ role: v.literal('tool'), results: v.array(ToolResult) }),
    ]),
  ),
});
export type Conversation = v.InferOutput<typeof Conversation>;
