import * as v from 'valibot';
import { OPENAI_APIS, REASONING_EFFORTS } from '../runs/message.ts';
import { scheduleSchema } from './schedule-schema.ts';

/** An execution of the machine lasts one year at most, and so does every timeout. */
const ONE_YEAR_SECONDS = 31_536_000;

/**
 * The agent file, as it is written. What an editor shows (descriptions, defaults, ranges) is generated from here into
 * `schemas/agent.schema.json`.
 *
 * Messages for types are nouns, those for rules whole sentences (see checkToml). The first rule that is broken, in the
 * order of the keys below, is what a user is told, so that order is part of the contract.
 */
export const agentSchema = v.pipe(
  v.object(
    {
      name: required('name', 'The name of the agent, the same as the name of the file without .toml.'),
      model: required(
        'model',
        'Provider and model, such as anthropic/claude-sonnet-4-5, split at the first slash.',
      ),
      sub_agents_config: v.optional(
        v.pipe(
          v.object(
            {
              max_depth: v.optional(
                v.pipe(
                  v.number('an integer'),
                  v.integer('an integer'),
                  v.minValue(0, 'sub_agents_config.max_depth must be non-negative'),
                  v.maxValue(5, 'sub_agents_config.max_depth cannot exceed 5'),
                  v.description(
                    'How many levels of sub-agents there may be below the agent that a run starts with. 0 means 3.',
                  ),
                ),
                0,
              ),
              parallel: v.optional(
                flag('Whether the calls of one answer run at the same time, or one after another.'),
                true,
              ),
              timeout: v.optional(
                seconds(
                  'sub_agents_config.timeout',
                  'Seconds for each sub-agent. 0 means what is left of the run.',
                ),
                0,
              ),
            },
            'a table',
          ),
          v.description('How sub-agents are run.'),
        ),
        {},
      ),
      memory: v.optional(
        v.pipe(
          v.object(
            {
              enabled: v.optional(flag('Whether the agent remembers earlier runs.'), false),
              path: v.optional(
                text('The name of its memory, which agents may share. Empty means the name of the agent.'),
                '',
              ),
              last_n: v.optional(
                count('memory.last_n', 'How many of the last entries it is shown. 0 means all.'),
                0,
              ),
              max_entries: v.optional(
                count('memory.max_entries', 'Above how many entries a run warns. 0 means no warning.'),
                0,
              ),
            },
            'a table',
          ),
          v.description('What the agent keeps from one run to the next.'),
        ),
        {},
      ),
      description: v.optional(text('What the agent is for, in one line.'), ''),
      system_prompt: v.optional(text('What the model is told before everything else.'), ''),
      skill: v.optional(
        text(
          'A skill to follow: the name of a folder in skills/, or the path of a file, relative to the folder above agents/.',
        ),
        '',
      ),
      workdir: v.optional(
        text(
          'The folder that `files` are looked up in, relative to where the command runs. Empty means right there.',
        ),
        '',
      ),
      files: v.optional(
        texts(
          'Files to show to the model: paths or patterns (*, ?, [a-z], {a,b}, ** for any folders) below the workdir.',
        ),
        [],
      ),
      sub_agents: v.optional(texts('Names of the agents that this one may call.'), []),
      timeout: v.optional(
        seconds('timeout', 'Seconds for a whole run. 0 means what the caller gives (120).'),
        0,
      ),
      params: v.optional(
        v.pipe(
          v.object(
            {
              temperature: v.optional(
                v.pipe(
                  v.number('a number'),
                  v.finite('a number'),
                  v.minValue(0, 'params.temperature must be non-negative'),
                  v.description("The model's temperature. 0 means that none is sent."),
                ),
                0,
              ),
              max_tokens: v.optional(
                count(
                  'params.max_tokens',
                  'Most tokens of one answer. 0 means that no limit is sent (Anthropic: 4096).',
                ),
                0,
              ),
              reasoning_effort: v.optional(
                v.pipe(
                  v.picklist(
                    REASONING_EFFORTS,
                    '"none", "minimal", "low", "medium", "high", "xhigh" or "max"',
                  ),
                  v.description(
                    "How much an OpenAI model thinks before it answers. Other providers' models pass it over.",
                  ),
                ),
              ),
              api: v.optional(
                v.pipe(
                  v.picklist(OPENAI_APIS, '"chat" or "responses"'),
                  v.description(
                    'Which API an OpenAI model, or a server that speaks its protocol, is asked by: Chat Completions or Responses. Absent: the one that the model takes.',
                  ),
                ),
              ),
            },
            'a table',
          ),
          v.description('Parameters of the model.'),
        ),
        {},
      ),
      retry: v.optional(
        v.pipe(
          v.object(
            {
              max_retries: v.optional(
                count('retry.max_retries', 'How often a call to the model is repeated.'),
                0,
              ),
              backoff: v.optional(
                v.pipe(
                  v.picklist(['exponential', 'linear', 'fixed'], '"exponential", "linear" or "fixed"'),
                  v.description('How the delay grows from one retry to the next.'),
                ),
                'exponential',
              ),
              initial_delay_ms: v.optional(
                count('retry.initial_delay_ms', 'Milliseconds before the first retry.'),
                500,
              ),
              max_delay_ms: v.optional(
                count('retry.max_delay_ms', 'Most milliseconds before any retry.'),
                30_000,
              ),
            },
            'a table',
          ),
          v.description("What to do when the model's API is busy, broken or too slow."),
        ),
        {},
      ),
      budget: v.optional(
        v.pipe(
          v.object(
            {
              max_tokens: v.optional(
                count('budget.max_tokens', 'Most tokens for a run and all its sub-agents. 0 means no limit.'),
                0,
              ),
              max_usd: v.optional(
                v.pipe(
                  v.number('a number'),
                  v.finite('a number'),
                  v.minValue(0, 'budget.max_usd must be non-negative'),
                  v.description('Most dollars for a run and all its sub-agents. 0 means no limit.'),
                ),
                0,
              ),
              max_turns: v.optional(
                count('budget.max_turns', 'Most turns for a run and all its sub-agents. 0 means no limit.'),
                0,
              ),
              max_tool_calls: v.optional(
                count(
                  'budget.max_tool_calls',
                  'Most tool calls for a run and all its sub-agents. 0 means no limit.',
                ),
                0,
              ),
            },
            'a table',
          ),
          v.description('What a run may use up. Only the budget of the agent that a run starts with counts.'),
        ),
        {},
      ),
      schedule: v.optional(scheduleSchema),
    },
    (issue) => missing(v.getDotPath(issue) ?? ''),
  ),
  v.title('Cadre agent'),
  v.description('An agent: a model, what it is told and shown, and the agents that it may call.'),
);

function required(key: string, description: string) {
  return v.pipe(v.string('a string'), v.regex(/\S/, missing(key)), v.description(description));
}

function missing(key: string): string {
  return `agent config missing required field: ${key}`;
}

function text(description: string) {
  return v.pipe(v.string('a string'), v.description(description));
}

function texts(description: string) {
  return v.pipe(v.array(v.string('a string'), 'an array of strings'), v.description(description));
}

function flag(description: string) {
  return v.pipe(v.boolean('true or false'), v.description(description));
}

function count(key: string, description: string) {
  return v.pipe(
    v.number('an integer'),
    v.integer('an integer'),
    v.minValue(0, `${key} must be non-negative`),
    v.description(description),
  );
}

function seconds(key: string, description: string) {
  return v.pipe(
    v.number('an integer'),
    v.integer('an integer'),
    v.minValue(0, `${key} must be non-negative`),
    v.maxValue(ONE_YEAR_SECONDS, `${key} cannot exceed ${ONE_YEAR_SECONDS}, which is a year`),
    v.description(description),
  );
}
