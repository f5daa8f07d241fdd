import * as v from 'valibot';
import { Conversation, RunOverview, type TreeReport } from '../../../../src/core/reports/run-schemas.ts';
import {
  Agent,
  AgentDetails,
  ListedRun,
  Question,
  RunTree,
  type AgentList,
  type QuestionList,
  type RunList,
} from '../../../../src/doors/api/answers.ts';
import type { Scene } from './draw.ts';

/** Answers of the API for pictures: at fixed times, with fixed ids. Each is held against its schema. */

/** Now, in all pictures. */
export const NOW = Date.parse('2026-03-12T10:24:00Z');

/** ISO 8601, so many seconds ago. */
export const ago = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString();

export type Overview = v.InferOutput<typeof RunOverview>;

/** The key of the tree is the last part of the ids of its runs. */
export function anOverview(agent: string, over: Partial<Overview> = {}): Overview {
  return v.parse(RunOverview, {
    run_id: `${agent}-19ce1f3a2b7c41`,
    agent,
    status: 'succeeded',
    model: 'anthropic/claude-sonnet-5-5',
    version: '3f9a0c51d2e7',
    depth: 0,
    task: 'Review the change to payments and say what is wrong with it',
    started_at: ago(600),
    ended_at: ago(455),
    duration_ms: 145_000,
    times: {
      own: 2_000,
      model: 61_000,
      tool: 12_000,
      agents: 70_000,
      messages: 0,
      person: 0,
      idle: 0,
      gap: 0,
    },
    spans: [
      ['own', 1_000],
      ['model', 30_000],
      ['agents', 70_000],
      ['tool', 12_000],
      ['model', 31_000],
      ['own', 1_000],
    ],
    turns: 3,
    tool_calls: 6,
    input_tokens: 18_400,
    output_tokens: 1_530,
    cache_read_tokens: 6_000,
    cache_write_tokens: 0,
    usd: 0.0782,
    failed_calls: 0,
    retries: 0,
    ...over,
  } satisfies Overview);
}

/** A run below another, by the number of the call. */
export function below(parent: Overview, agent: string, call: number, over: Partial<Overview> = {}): Overview {
  return anOverview(agent, {
    run_id: `${agent}-19ce1f3a2b7c41-${parent.depth === 0 ? '' : `t1c1_`}t1c${call}`,
    depth: parent.depth + 1,
    parent: { run: parent.run_id, turn: 1, call },
    task: `Look at the change to payments from the side of ${agent}`,
    started_at: ago(569),
    ended_at: ago(499),
    duration_ms: 70_000,
    times: { own: 1_000, model: 52_000, tool: 17_000, agents: 0, messages: 0, person: 0, idle: 0, gap: 0 },
    spans: [
      ['model', 20_000],
      ['tool', 17_000],
      ['model', 33_000],
    ],
    turns: 2,
    tool_calls: 1,
    input_tokens: 4_100,
    output_tokens: 380,
    usd: 0.0181,
    ...over,
  });
}

export function reportOf(runs: readonly Overview[]): TreeReport {
  const sum = (valueOf: (run: Overview) => number) => runs.reduce((total, run) => total + valueOf(run), 0);
  return {
    runs: runs.length,
    turns: sum((run) => run.turns),
    tool_calls: sum((run) => run.tool_calls),
    input_tokens: sum((run) => run.input_tokens),
    output_tokens: sum((run) => run.output_tokens),
    cache_read_tokens: sum((run) => run.cache_read_tokens),
    cache_write_tokens: sum((run) => run.cache_write_tokens),
    usd: Math.round(sum((run) => run.usd ?? 0) * 1e6) / 1e6,
  };
}

type Listed = v.InferOutput<typeof ListedRun>;

/** A run as it is listed. */
export function listed(top: Overview, over: Partial<Listed> = {}): Listed {
  const { spans: _spans, ...rest } = top;
  return v.parse(ListedRun, { ...rest, tree: reportOf([top]), ...over });
}

export function listOf(...runs: RunList['runs']): RunList {
  return { runs, next: null };
}

export function treeOf(
  runs: readonly [Overview, ...Overview[]],
  over: Partial<v.InferOutput<typeof RunTree>> = {},
): v.InferOutput<typeof RunTree> {
  return v.parse(RunTree, { ...runs[0], tree: reportOf(runs), runs: [...runs], open_questions: [], ...over });
}

export function aQuestion(
  over: Partial<v.InferOutput<typeof Question>> = {},
): v.InferOutput<typeof Question> {
  const run = 'review-19ce1f3a2b7c41';
  return v.parse(Question, {
    run_id: run,
    root: run,
    agent: 'review',
    question_id: 't2c1',
    question: 'Which of the two services may be restarted first?',
    choices: ['billing', 'search', 'Neither'],
    asked_at: ago(95),
    expires_at: new Date(NOW + 1_705_000).toISOString(),
    ...over,
  });
}

export function questionsOf(...questions: QuestionList['questions']): QuestionList {
  return { questions };
}

type Message = Conversation['messages'][number];
type Answer = Extract<Message, { role: 'assistant' }>;
type Call = Answer['calls'][number];
type Result = Extract<Message, { role: 'tool' }>['results'][number];

/** A conversation, with as many turns as it has answers. */
export function said(messages: Message[], over: Partial<Conversation> = {}): Conversation {
  return v.parse(Conversation, {
    system: 'You review changes to code. Be brief, and name the line.',
    settings: {
      model: 'anthropic/claude-sonnet-5-5',
      temperature: 0.2,
      max_tokens: 8_192,
      tools: ['read_file', 'edit_file', 'call_agent'],
    },
    turns: messages.filter(({ role }) => role === 'assistant').length,
    messages,
    ...over,
  });
}

export function asks(text: string): Message {
  return { role: 'user', text };
}

/** An answer of the model. @param number of the turn */
export function answers(number: number, text: string, ...calls: Call[]): Answer {
  return {
    role: 'assistant',
    text,
    calls,
    turn: {
      number,
      finished_at: ago(560 - 40 * number),
      duration_ms: 20_400 + 1_300 * number,
      input_tokens: 4_200 + 1_900 * number,
      output_tokens: 310,
      usd: 0.0174,
      cache_read_tokens: 2_000,
      cache_write_tokens: 0,
    },
  };
}

export function call(id: string, name: string, args: Call['arguments'], over: Partial<Call> = {}): Call {
  return { id, name, arguments: args, ...over };
}

export function result(id: string, name: string, text: string, over: Partial<Result> = {}): Result {
  return { call_id: id, name, text, is_error: false, duration_ms: 840, ...over };
}

export function results(...all: Result[]): Message {
  return { role: 'tool', results: all };
}

type AgentResource = v.InferOutput<typeof Agent>;

export function anAgent(name: string, over: Partial<AgentResource> = {}): AgentResource {
  return v.parse(Agent, {
    name,
    description: `Looks at changes from the side of ${name}`,
    model: 'anthropic/claude-sonnet-5-5',
    timeout: 600,
    sub_agents: [],
    sub_agents_config: { max_depth: 3, parallel: true, timeout: 0 },
    params: { temperature: 0.2, max_tokens: 8_192 },
    budget: { max_tokens: 200_000, max_usd: 2, max_turns: 0, max_tool_calls: 0 },
    tools: [
      { name: 'read_file', permission: 'allow', writes: false },
      { name: 'edit_file', permission: 'ask', writes: true },
      { name: 'run_command', permission: 'deny', writes: true },
    ],
    calls: [],
    ...over,
  } satisfies AgentResource);
}

export function agentsOf(...agents: AgentList['agents']): AgentList {
  return { agents, faults: [] };
}

/** Who may call whom. */
export function calling(...names: string[]): Pick<AgentResource, 'calls' | 'sub_agents'> {
  return { sub_agents: names, calls: names.map((agent) => ({ agent, by: 'call_agent' })) };
}

type Details = v.InferOutput<typeof AgentDetails>;

export function detailsOf(agent: AgentResource, over: Partial<Details> = {}): Details {
  const amount = {
    runs: 1,
    turns: 4,
    calls: 2,
    tool_calls: 6,
    approvals: 1,
    transitions: 58,
    events: 240,
    state_bytes: 2_100,
    usd_per_1000_runs: { 'Step Functions': 1.45, Lambda: 0.61, DynamoDB: 0.22, total: 2.28 },
  };
  return v.parse(AgentDetails, {
    ...agent,
    tools: agent.tools.map((tool) => ({
      ...tool,
      description: `What ${tool.name} does, as its model reads it.`,
    })),
    file: `description = "${agent.description}"\nmodel = "${agent.model}"\ntools = ["read_file", "edit_file"]\n\n[permissions]\nask = ["edit_file"]\n`,
    version: '3f9a0c51d2e7',
    prompt: 'You review changes to code. Be brief, and name the line.\n\nSay what is wrong first.',
    files: ['CONTRIBUTING.md'],
    servers: [],
    remembers: false,
    limits: {
      timeout: 600,
      max_depth: 3,
      parallel: true,
      max_answer_tokens: 8_192,
      max_tokens: 200_000,
      max_usd: 2,
    },
    plan: {
      agent: agent.name,
      model: agent.model,
      models: [{ model: agent.model, usd_per_million_tokens: { input: 3, output: 15 } }],
      sub_agents: agent.sub_agents,
      copies: [],
      too_deep: [],
      cycles: [],
      depth: 2,
      max_depth: 3,
      turns_at_once: 5,
      expected_turns_at_once: 3,
      expected: amount,
      runs_per_second: { largest_regions: 86, other_regions: 8.6 },
      run_at_most: { ...amount, turns: 40, tool_calls: 160 },
      tree_at_most: { ...amount, runs: 21, turns: 840, calls: 20, tool_calls: 3_360 },
      problems: [],
      warnings: [],
    },
    ...over,
  } satisfies Details);
}

/** What every page asks for: agents, runs and questions. */
export function aPlace(over: Scene['answers'] = {}): Scene['answers'] {
  const runs = listOf(
    listed(anOverview('review')),
    listed(
      anOverview('release', { task: 'Write the notes of release 4.2', run_id: 'release-19ce1f3a2b7c42' }),
    ),
  );
  return {
    agents: agentsOf(
      anAgent('review', {
        description: 'Reviews a change from several sides',
        ...calling('security', 'tests'),
      }),
      anAgent('security'),
      anAgent('tests'),
      anAgent('release', { description: 'Writes the notes of a release' }),
    ),
    runs,
    questions: questionsOf(),
    ...over,
  };
}
