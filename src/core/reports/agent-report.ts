import * as v from 'valibot';

/** What the API and `cadre plan --json` tell of agents. */

export const PERMISSIONS = ['allow', 'ask', 'deny'] as const;

/** A tool of an agent, and whether its calls are made. */
export const ToolReport = v.object({
  name: v.string(),
  permission: v.pipe(
    v.picklist(PERMISSIONS),
    v.description(
      'Of calls that no rule with a pattern is about: made at once, made once a person has approved them, or never: then the agent is not offered the tool.',
    ),
  ),
  rules: v.exactOptional(
    v.pipe(
      v.array(v.string()),
      v.description('The rules with patterns that are about it, such as `ask run_command(git push *)`.'),
    ),
  ),
  writes: v.pipe(v.boolean(), v.description('Whether its calls may change anything.')),
  description: v.exactOptional(
    v.pipe(v.string(), v.description('As its model reads it; only where one agent is read.')),
  ),
});
export type ToolReport = v.InferOutput<typeof ToolReport>;

/** An agent that an agent may call, and by which tool. */
export const CallReport = v.object({
  agent: v.pipe(v.string(), v.description('Itself where the tool makes copies of its caller.')),
  by: v.pipe(
    v.string(),
    v.description('`call_agent`, `spawn_agent`, `delegate_task`, `sub_agent` or `fork`.'),
  ),
});
export type CallReport = v.InferOutput<typeof CallReport>;

/** Absent: there is no such limit. */
const Limit = (description: string) =>
  v.exactOptional(v.pipe(v.number(), v.description(`${description} Absent: no limit.`)));

/** All limits of an agent's runs. */
export const LimitReport = v.object({
  timeout: v.pipe(v.number(), v.description('Seconds for a whole run.')),
  patience: Limit('Seconds that a run waits for people in all.'),
  max_depth: v.pipe(v.number(), v.description('Levels of agents below a run of it.')),
  parallel: v.pipe(v.boolean(), v.description('Whether its sub-agents work side by side.')),
  sub_agent_timeout: Limit('Seconds for each of its sub-agents.'),
  max_answer_tokens: Limit('Tokens of one answer.'),
  max_tokens: Limit('Tokens of a run with all below it.'),
  max_usd: Limit('Dollars of a run with all below it.'),
  max_turns: Limit('Turns of a run with all below it.'),
  max_tool_calls: Limit('Tool calls of a run with all below it.'),
  usd_per_day: Limit('Dollars a day of all runs that start with the agent.'),
  usd_per_owner_per_day: Limit('The same of each person.'),
  copies: v.exactOptional(
    v.pipe(
      v.object({
        max_depth: v.number(),
        max_concurrent: v.number(),
        max_tool_calls: v.number(),
        max_tokens: v.number(),
        timeout_ms: v.number(),
        hard_stop_at: v.number(),
      }),
      v.description('Of copies of itself that it starts, as `[sub_agent]` has them. Absent: it starts none.'),
    ),
  ),
});
export type LimitReport = v.InferOutput<typeof LimitReport>;

const Amount = v.object({
  runs: v.number(),
  turns: v.number(),
  calls: v.number(),
  tool_calls: v.number(),
  approvals: v.number(),
  transitions: v.number(),
  events: v.number(),
  state_bytes: v.number(),
  usd_per_1000_runs: v.pipe(
    v.record(v.string(), v.number()),
    v.description("By service, and `total`; without the models' tokens."),
  ),
});

/** What runs of an agent may come to, as `cadre plan` has it. */
export const PlanReport = v.object({
  agent: v.string(),
  model: v.string(),
  models: v.array(
    v.object({
      model: v.string(),
      usd_per_million_tokens: v.nullable(v.object({ input: v.number(), output: v.number() })),
    }),
  ),
  sub_agents: v.array(v.string()),
  copies: v.array(v.object({ agent: v.string(), by: v.string(), depth: v.number(), at_once: v.number() })),
  too_deep: v.array(v.string()),
  cycles: v.array(v.array(v.string())),
  depth: v.number(),
  max_depth: v.number(),
  turns_at_once: v.number(),
  expected_turns_at_once: v.number(),
  expected: Amount,
  leaves: v.exactOptional(
    v.pipe(
      v.object({ agents: v.array(v.string()), express: Amount, standard: Amount }),
      v.description('Expected with all leaves in Express executions, and with all in Standard ones.'),
    ),
  ),
  batches: v.exactOptional(
    v.pipe(
      v.object({
        recorded_runs: v.number(),
        recorded_turns: v.number(),
        cached_share: v.pipe(
          v.number(),
          v.description(
            'Of the tokens of prompts, what comes from the cache where they are asked at once: 0 to 1.',
          ),
        ),
        usd_per_1000_runs: v.object({ asked_at_once: v.number(), in_batches: v.number() }),
      }),
      v.description(
        "What the models' tokens of the last recorded runs come to. Absent: there are none, or no batches.",
      ),
    ),
  ),
  runs_per_second: v.pipe(
    v.object({ largest_regions: v.number(), other_regions: v.number() }),
    v.description('Expected runs that the quota of state transitions lets begin.'),
  ),
  run_at_most: Amount,
  tree_at_most: Amount,
  problems: v.array(v.string()),
  warnings: v.array(v.string()),
});
export type PlanReport = v.InferOutput<typeof PlanReport>;
