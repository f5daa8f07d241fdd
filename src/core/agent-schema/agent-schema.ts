import * as v from 'valibot';
import { OPENAI_APIS, REASONING_EFFORTS } from '../records/message.ts';
import { OWNERSHIPS } from '../records/owner.ts';
import { nearestOrAll } from '../../nearest.ts';
import { SERVICE_WORDS } from '../../token-usage.ts';
import {
  amount,
  checkedTexts,
  choice,
  count,
  countUpTo,
  dollars,
  duration,
  flag,
  MISSING,
  required,
  seconds,
  table,
  text,
  texts,
} from './key-types.ts';
import { functionsSchema } from './function-schema.ts';
import { guardrailSchema } from './guardrail-schema.ts';
import { hooksSchema } from './hook-schema.ts';
import { outputSchema } from './output-schema.ts';
import { parseRule, type PermissionRule } from './permission-rule.ts';
import { scheduleSchema } from './schedule-schema.ts';
import { remoteAgentsSchema, serversSchema } from './server-schema.ts';
import { spawningSchema } from './spawning-schema.ts';
import { TOOL_GROUPS, TOOL_WORDS } from './tool-names.ts';

/** The default permission of calls that no rule names. */
export const MODES = ['auto', 'ask', 'plan'] as const;

/** Where commands run. */
const SANDBOXES = ['none', 'isolated'] as const;

function ownership(description: string) {
  return v.exactOptional(choice(OWNERSHIPS, `${description} where the API takes tokens of persons.`));
}

function unknownTool(word: string): string | undefined {
  if (TOOL_WORDS.includes(word)) return undefined;
  return `unknown tool ${JSON.stringify(word)}; ${nearestOrAll(word, TOOL_WORDS)}`;
}

function oddRule(written: string): string | undefined {
  const rule = parseRule(written);
  if (rule !== undefined) return idleRule(rule, JSON.stringify(written));
  return `{key} ${JSON.stringify(written)} is not a rule: write a tool, or a tool with a pattern, such as read_file(docs/**)`;
}

/**
 * The reason why a rule would never match a call. A rule that denies without effect would be taken for a protection.
 */
function idleRule({ tool, pattern = '' }: PermissionRule, written: string): string | undefined {
  const group = Object.entries(TOOL_GROUPS).find(([name]) => name === tool)?.[1];
  if (group !== undefined) return `{key} ${written} names a group: name its tools, ${group.join(', ')}`;
  if (tool === 'call_agent')
    return `{key} ${written} has no effect: sub_agents says which agents may be called`;
  const isOfPaths = TOOL_GROUPS.files.some((name) => name === tool);
  if (!isOfPaths || !/^([/~]|(\.\/)*\.\.(\/|$))/.test(pattern)) return undefined;
  return `{key} ${written} fits no file: patterns of paths begin in the workdir, such as docs/**`;
}

function oddSkill(written: string): string | undefined {
  const quoted = JSON.stringify(written);
  if (written.trim() === '') return '{key} is empty: name a skill';
  if (written.includes('**')) return `{key} ${quoted} goes to any depth: write a * for each folder`;
  if (!/(^|[/\\])SKILL\.md$/i.test(written)) return undefined;
  return `{key} ${quoted} is a file: name its folder`;
}

function oddHost(written: string): string | undefined {
  if (/^(\*\.)?[\w-]+(\.[\w-]+)*$/.test(written)) return undefined;
  return `{key} ${JSON.stringify(written)} is not a host: write its name alone, such as docs.example.com or *.example.com`;
}

/**
 * The agent file, as it is written: the one place where its keys are listed. The type `Agent`, the keys that are known
 * and `schemas/agent.schema.json`, which editors read, are derived from here; tests hold the template, `agents show`
 * and docs/agents.md to it.
 *
 * The first rule that is broken, in the order of the keys below, is what a user reads, so that order is part of the
 * contract.
 */
export const agentFileSchema = v.pipe(
  v.object(
    {
      name: required('The name of the agent, the same as the name of the file without .toml.'),
      model: required('Provider and model, such as anthropic/claude-sonnet-5-5, split at the first slash.'),
      sub_agents_config: v.optional(
        table('How sub-agents run.', {
          max_depth: countUpTo(
            5,
            'The most levels of sub-agents below the agent with which a run starts. 0 means 3.',
          ),
          parallel: flag('Whether the calls of one answer run at the same time, or one after another.', true),
          timeout: seconds('Seconds for each sub-agent. 0 means what is left of the run.'),
          share_input: flag(
            "Whether sub-agents read their caller's input by reference, so that the caller's model need not copy it.",
            false,
          ),
          express: flag(
            'Whether sub-agents that call no agents and ask nobody run in Express executions where they are deployed.',
            false,
          ),
          background: v.optional(
            v.pipe(
              v.union([v.boolean(), v.literal('always')], 'true, false or "always"'),
              v.description(
                'Whether calls may have a sub-agent go on beside the agent, which is told when it has finished. "always": all calls do.',
              ),
            ),
            false,
          ),
        }),
        {},
      ),
      memory: v.optional(
        table('What the agent remembers from one run to the next.', {
          enabled: flag('Whether the agent remembers earlier runs.', false),
          path: text('The name of its memory, which agents may share. Empty means the name of the agent.'),
          last_n: count('How many of the latest entries the model is shown. 0 means all.'),
          max_entries: count('The number of entries above which a run warns. 0 means no warning.'),
          search: flag('Whether the agent has tools to search its memory, save to it and forget.', false),
          embedding: text(
            'The model that finds entries by meaning, provider/model-name. Empty means by words alone.',
          ),
          owner: ownership(
            "Whose it is: the agent's, for all of its callers, or each person's own. Absent: each person's own",
          ),
        }),
        {},
      ),
      description: text('What the agent is for, in one line.'),
      system_prompt: text('What the model reads before everything else.'),
      skill: text(
        'A skill to follow: the name of a folder in skills/, or the path of a file, relative to the folder that contains agents/.',
      ),
      skills: checkedTexts(
        oddSkill,
        'Skills that the model may load when its work calls for them: names of folders in skills/, or paths of folders with a SKILL.md, relative to the folder that contains agents/, with * for any name.',
      ),
      workdir: text(
        'The folder of `files`, relative to where the command runs. Empty means that folder itself.',
      ),
      workspace: v.optional(
        table('The files that `files` and tools for files reach in an account.', {
          owner: ownership(
            "Whose they are: the agent's, for all of its callers, or each person's own. Absent: those of the agent that calls it, and otherwise each person's own",
          ),
        }),
        {},
      ),
      files: texts(
        'Files to show to the model: paths or patterns (*, ?, [a-z], {a,b}, ** for any number of folders) below the workdir.',
      ),
      sub_agents: texts('Names of the agents that this one may call.'),
      tools: checkedTexts(
        unknownTool,
        'What the agent can do besides calling agents: names of tools, or groups of them (files:read, files).',
      ),
      mode: v.optional(
        choice(
          MODES,
          'Which calls are allowed that no rule of [permissions] names: all of them, those that only read, or, with tools that write left out, those that only read.',
        ),
        'auto',
      ),
      permissions: v.optional(
        table('Rules such as read_file or run_command(npm test): deny first, then ask, then allow.', {
          allow: checkedTexts(oddRule, 'Calls that are allowed.'),
          ask: checkedTexts(oddRule, 'Calls that a person has to approve.'),
          deny: checkedTexts(
            oddRule,
            'Calls that are refused. A rule without a pattern takes the tool away.',
          ),
        }),
        {},
      ),
      sandbox: v.optional(
        table('Where run_command runs.', {
          kind: v.optional(
            choice(
              SANDBOXES,
              'none: on the machine itself. isolated: by bubblewrap, with the workdir and the programs of the system, and without keys, the home folder and other processes; deployed, in a function of their own.',
            ),
            'none',
          ),
          network: flag('Whether isolated commands reach the network.', false),
          image: v.optional(
            v.pipe(
              v.string('a string'),
              v.regex(
                /^$|^\w[\w./:@-]*$/,
                '{key} must be the name of a container image, such as python:3.13-slim',
              ),
              v.description(
                'The container image whose programs deployed commands have. Empty means those of Lambda itself.',
              ),
            ),
            '',
          ),
        }),
        {},
      ),
      models: texts('Models that a call of sub_agent may choose instead of the one above.'),
      sub_agent: v.optional(spawningSchema, {}),
      allowed_hosts: checkedTexts(
        oddHost,
        'The hosts that fetch_url may reach: "docs.example.com", or "*.example.com" for all below it.',
      ),
      timeout: seconds("Seconds for a whole run. 0 means the caller's (120)."),
      patience: duration(
        7,
        'How long a run and all its sub-agents wait for people in all, in seconds, or such as "30m" or "1d"; this time does not count. "0s" means no longer than the run may take. Only that of the agent with which a run starts counts.',
      ),
      params: v.optional(
        table('Parameters of the model.', {
          temperature: v.exactOptional(
            amount("The model's temperature, which 0 is too. Absent means not sent."),
          ),
          max_tokens: count('The most tokens of one answer. 0 means not sent (Anthropic: 4096).'),
          reasoning_effort: v.exactOptional(
            choice(
              REASONING_EFFORTS,
              'How much the model thinks before it answers. Models that cannot think ignore it.',
            ),
          ),
          api: v.exactOptional(
            choice(
              OPENAI_APIS,
              'The API of an OpenAI model, or of a server that speaks its protocol: Chat Completions or Responses. Absent: the one that the model needs.',
            ),
          ),
          service: v.exactOptional(
            choice(
              ['', ...SERVICE_WORDS],
              "How requests are served. batch: at half the price, within a day, from Anthropic and OpenAI. flex, priority: as OpenAI has them. standard: as usual. Empty or absent: the caller's where that is batch, and otherwise as usual.",
            ),
          ),
          stream: v.exactOptional(
            v.pipe(
              v.boolean('true or false'),
              v.description('False: the answer is asked for whole, not as a stream.'),
            ),
          ),
          images: v.exactOptional(
            v.pipe(
              v.boolean('true or false'),
              v.description('Whether the model sees images. Absent: as its name, or its server, tells.'),
            ),
          ),
        }),
        {},
      ),
      context: v.optional(
        table("How a conversation is kept within the window of the agent's model.", {
          compact: flag(
            'Whether older results are left out, and older turns summarised, before a conversation is too long.',
            true,
          ),
          window: count('The window of the model in tokens. 0 means as far as it is known.'),
        }),
        {},
      ),
      retry: v.optional(
        table("What to do when the model's API is busy, broken or too slow.", {
          max_retries: count('How often a call to the model is repeated.'),
          backoff: v.optional(
            choice(['exponential', 'linear', 'fixed'], 'How the delay grows from one retry to the next.'),
            'exponential',
          ),
          initial_delay_ms: count('Milliseconds before the first retry.', 500),
          max_delay_ms: count('The most milliseconds before any retry.', 30_000),
        }),
        {},
      ),
      budget: v.optional(
        table('What a run may use. Only the budget of the agent with which a run starts counts.', {
          max_tokens: count('The most tokens for a run and all its sub-agents. 0 means no limit.'),
          max_usd: dollars('The most dollars for a run and all its sub-agents. 0 means no limit.'),
          max_turns: count('The most turns for a run and all its sub-agents. 0 means no limit.'),
          max_tool_calls: count('The most tool calls for a run and all its sub-agents. 0 means no limit.'),
        }),
        {},
      ),
      limits: v.optional(
        table(
          'What a day (UTC) may cost. Only the limits of the agent with which a run starts count, for all that it starts.',
          {
            usd_per_day: dollars(
              'The most dollars a day for all runs that start with the agent. 0 means no limit.',
            ),
            usd_per_owner_per_day: dollars(
              'The same for those of each owner, where the API takes tokens of persons. 0 means no limit.',
            ),
          },
        ),
        {},
      ),
      output: outputSchema,
      serve: v.optional(
        table('Where cadre serve and cadre mcp offer the agent.', {
          mcp: v.exactOptional(
            v.pipe(
              v.boolean('true or false'),
              v.description(
                'Whether it is a tool for clients of the Model Context Protocol. Absent: if it is no sub-agent of another agent.',
              ),
            ),
          ),
        }),
        {},
      ),
      functions: functionsSchema,
      hooks: hooksSchema,
      guardrail: guardrailSchema,
      schedule: v.exactOptional(scheduleSchema),
      mcp_servers: serversSchema,
      remote_agents: remoteAgentsSchema,
    },
    MISSING,
  ),
  v.title('Cadre agent'),
  v.description(
    'An agent: a model, its instructions, the files that it is shown, and the agents that it may call.',
  ),
);
