import * as v from 'valibot';
import { count, countFrom, flag, table } from './key-types.ts';

/** A sub-agent that has less time than this cannot do anything. */
export const SHORTEST_TIMEOUT_MS = 5000;

/** `[sub_agent]` of an agent file: what the sub-agents get that `spawn_agent` and `delegate_task` start. */
export const spawningSchema = v.pipe(
  table('What spawn_agent and delegate_task give the sub-agents that they start.', {
    enabled: flag('Whether the agent is offered spawn_agent and delegate_task at all.', true),
    max_depth: count(
      'The deepest level below the agent with which a run starts that they start agents on.',
      2,
    ),
    max_concurrent: countFrom(1, 'How many such sub-agents of one run work at the same time.', 1),
    warn_at: count('The number of its own tool calls at which the agent is warned. 0 means never.', 20),
    pause_at: count(
      'The number of tool calls at which the agent is told to stop and think. 0 means never.',
      40,
    ),
    hard_stop_at: count(
      'The number of tool calls at which the run ends with what it has. 0 means never.',
      100,
    ),
    inherit_mode: flag("Whether sub-agents work in their parent's mode, or in mode ask.", true),
    default_budget: v.optional(
      table('What each sub-agent may use.', {
        max_tool_calls: countFrom(1, 'The most tool calls.', 15, '{key}: maxToolCalls must be positive'),
        max_tokens: countFrom(
          1,
          'The most tokens that its conversation may grow by.',
          8192,
          '{key}: maxTokens must be positive',
        ),
        timeout_ms: countFrom(
          SHORTEST_TIMEOUT_MS,
          'Milliseconds.',
          60_000,
          `{key}: timeoutMs must be at least ${SHORTEST_TIMEOUT_MS}`,
        ),
      }),
      {},
    ),
  }),
);
