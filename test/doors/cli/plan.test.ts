import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { planAgents, printFigures, type PlanOptions } from '../../../src/doors/cli/commands/plan.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

/** Plans agents whose files are given without name and model. */
async function plan(agents: Record<string, string>, agent?: string, options: PlanOptions = {}) {
  const files = Object.entries(agents).map(([name, rest]) => [
    `agents/${name}.toml`,
    `name = "${name}"\nmodel = "ollama/llama3.2"\n${rest}`,
  ]);
  const io = recordedIo(await tempFolder(Object.fromEntries(files)));
  const code = await planAgents(agent, options, io);
  return { code, out: io.out, err: io.err };
}

async function reports(agents: Record<string, string>, agent?: string) {
  const { code, out, err } = await plan(agents, agent, { json: true });
  return { code, err, agents: JSON.parse(out).agents };
}

const subAgents = (...names: string[]) => `sub_agents = ${JSON.stringify(names)}\n`;
/** As many as run at once. */
const MANY = Array.from({ length: 40 }, (_, index) => `a${index}`);
const config = (...lines: string[]) => `[sub_agents_config]\n${lines.join('\n')}\n`;

/** All that is printed, which `-u` writes anew after a change that is meant. */
const accepted = (name: string) => join(import.meta.dirname, 'accepted', `${name}.txt`);

describe('plan', () => {
  test('tells all of it where that is wanted: what is counted, and what each function may do', async () => {
    const { out } = await plan(
      {
        top: `${subAgents('left', 'right', 'top')}tools = ["read_file", "spawn_agent"]\n[budget]\nmax_usd = 2\nmax_tokens = 100000\n`,
        left: 'timeout = 60\n[permissions]\nask = ["read_file"]\n',
        right: subAgents('left', 'top'),
      },
      undefined,
      { verbose: true },
    );
    await expect(out).toMatchFileSnapshot(accepted('plan'));
  });

  test('knows what runs of three sizes cost', async () => {
    const io = recordedIo(await tempFolder({}));
    expect(printFigures({}, io)).toBe(0);
    await expect(io.out).toMatchFileSnapshot(accepted('figures'));
  });

  test('says what commands in a sandbox cost in an account, where there are any', async () => {
    const sandbox = 'tools = ["run_command"]\n[sandbox]\nkind = "isolated"\n';
    const { out } = await plan({ top: subAgents('builder'), builder: sandbox }, 'top');
    // 2 GB for 60 and 720 s at $0.0000133334, and 3.5 GB of disk at $0.0000000309 each; a request is $0.0000002.
    expect(out).toContain(
      '  Commands    deployed, 1,000 of a minute $1.61, of the longest (12 minutes) $19.28, besides; local ones cost nothing\n',
    );
    expect((await plan({ top: 'tools = ["run_command"]\n' }, 'top')).out).not.toContain('Commands');
  });

  test('tells what an agent may come to, for people', async () => {
    const { out } = await plan(
      { top: subAgents('left', 'right'), left: '', right: subAgents('left', 'top') },
      'top',
    );
    expect(out.slice(0, out.indexOf('\n\n'))).toBe(
      [
        'top',
        '  Model       ollama/llama3.2',
        '  Prices      ollama/llama3.2 free',
        '  Sub-agents  left, right, top',
        '  Cycles      top > right > top',
        '  Depth       3 (max_depth 3)',
        '  At once     4 expected, 1,000 turns at most (1,000 functions may run)',
        '  Leaves      left',
        '              1,000 runs $1.43 in Express executions (sub_agents_config.express), $1.33 in Standard ones',
        '  Throughput  116 such runs a second in us-east-1, us-west-2, eu-west-1, 11 in other Regions',
        '                                       expected          at most    alone at most',
        '  runs                                        7            1,001                1',
        '  turns                                      10           50,050               50',
        '  calls of sub-agents                         6        1,613,612            1,612',
        '  calls of tools                              0                0                0',
        '  transitions                                43        5,041,036            5,036',
        '  events of 25,000                           43           19,997           19,997',
        '  state of 256 KB                        0.8 KB          30.1 KB          28.5 KB',
        '  Step Functions, 1,000 runs              $1.07         $126,026             $126',
        '  Lambda                                  $0.19             $846            $0.85',
        '  DynamoDB                              $0.0695           $5,068            $5.06',
        '  S3                                         $0             $772            $0.77',
        '  API                                    $0.001           $0.001           $0.001',
        '  total, 1,000 runs                       $1.33         $132,711             $133',
      ].join('\n'),
    );
  });

  test.each([
    ['max_turns = 10', { runs: 10, turns: 10, calls: 1000 }],
    ['max_tool_calls = 5', { runs: 6, turns: 300, calls: 5 }],
    ['max_tokens = 1200', { runs: 10, turns: 10, calls: 60 }],
    ['max_usd = 0.5', { runs: 1001, turns: 1516, calls: 1667 }],
  ])('is held to a budget with %s', async (limit, { runs, turns, calls }) => {
    const top = `model = "anthropic/claude-sonnet-4-5"\n${subAgents('top')}`;
    const planned = async (budget: string) => {
      const io = recordedIo(
        await tempFolder({ 'agents/top.toml': `name = "top"\n${top}[budget]\n${budget}\n` }),
      );
      await planAgents('top', { json: true }, io);
      return JSON.parse(io.out).agents[0].tree_at_most;
    };
    const free = await planned('');
    const bound = await planned(limit);
    expect([free.runs, free.turns]).toEqual([1001, 50_050]);
    expect([bound.runs, bound.turns, bound.calls]).toEqual([runs, turns, calls]);
    expect(bound.usd_per_1000_runs.total).toBeLessThan(free.usd_per_1000_runs.total / 5);
    expect(await planned(limit.replace(/\S+$/, '1000000000'))).toEqual(free);
  });

  test('counts what a question costs where an agent of the tree may ask people', async () => {
    const agents = { top: subAgents('kid'), kid: 'tools = ["ask_user"]\n', mute: '' };
    const line = '  Questions   1,000 to people $0.11, 4 transitions each, however long they wait\n';
    expect((await plan(agents, 'top')).out).toContain(line);
    expect((await plan(agents, 'mute')).out).not.toContain('Questions');
  });

  test('counts forks, and what forks and messages cost besides', async () => {
    const { out } = await plan({ top: 'tools = ["fork"]\n' }, 'top');
    const lines = out.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  '));
    expect(lines).toEqual(
      expect.arrayContaining([
        '  Copies  top by fork down to level 0, 1,000 at once',
        '  At once  1 expected, 1,000 turns at most (1,000 functions may run)',
        '  Forks  1,000 with an answer $0.45, 1,000 messages that wake one $0.39; an idle one costs nothing',
        '  runs  2  1,001  1',
      ]),
    );
    const { err } = await plan({ top: 'tools = ["fork"]\n' }, 'top', { concurrency: 10 });
    expect(err).toContain(
      'if each run of "top" made as many forks as a tree can have, but only 10 functions',
    );
    expect(err).toContain('To rule this out, take "fork" out of tools, or set');
  });

  test('counts agents in the background, and what their ends cost besides', async () => {
    const top = `${subAgents('kid')}[sub_agents_config]\nbackground = true\n`;
    const { out } = await plan({ top, kid: '' }, 'top');
    const lines = out.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  '));
    expect(lines).toEqual(
      expect.arrayContaining([
        '  At once  1 expected, 1,000 turns at most (1,000 functions may run)',
        '  Background  kid',
        '  1,000 with an answer $0.45, 1,000 messages that wake one $0.39; an idle one costs nothing',
        '  runs  2  1,001  1',
      ]),
    );
    const { err } = await plan({ top, kid: '' }, 'top', { concurrency: 10 });
    expect(err).toContain(
      'if each run of "top" started as many agents in the background as a tree can have, but only 10 functions',
    );
    expect(err).toContain('To rule this out, take background out of sub_agents_config in "top", or set');
  });

  test('ends with three lines on how to read it', async () => {
    const { out } = await plan({ a: '' });
    expect(out.slice(out.lastIndexOf('\n\n') + 2)).toBe(
      [
        'expected: each agent calls each sub-agent once; at most: all that the limits allow; alone: without the runs below it',
        "dollars: us-east-1, 2026-11-21, without the models' tokens, logs and traces",
        '--verbose prints what exactly is counted, and what each function may do\n',
      ].join('\n'),
    );
  });

  test('names what each function may do, and the models on Bedrock, if it is asked for more', async () => {
    const { out } = await plan({ a: '' }, undefined, { verbose: true });
    expect(out).toContain('\nprices: dollars for a million tokens of short prompts\n');
    expect(out).toContain('  turn      dynamodb:GetItem, dynamodb:PutItem');
    expect(out).toContain(
      '\n            s3:DeleteObject, s3:GetObject, s3:ListBucket, s3:PutObject on workspace/ of the bucket\n',
    );
    expect(out).toMatch(/Models on Bedrock: none, so no function may invoke any\n$/);

    const files = { 'agents/b.toml': 'name = "b"\nmodel = "bedrock/amazon.nova-pro-v1:0"\n' };
    const io = recordedIo(await tempFolder(files));
    await planAgents('b', { verbose: true }, io);
    expect(io.out).toMatch(/Models on Bedrock: bedrock\/amazon.nova-pro-v1:0\n$/);
  });

  test('plans every agent on its own, with the depth of the one that runs', async () => {
    const all = await reports({
      a: subAgents('b') + config('max_depth = 1'),
      b: subAgents('c') + config('max_depth = 2', 'parallel = false'),
      c: subAgents('c', 'a') + config('max_depth = 1'),
    });
    const shown = all.agents.map((report: object) =>
      pick(report, 'agent', 'sub_agents', 'too_deep', 'cycles', 'depth', 'turns_at_once'),
    );
    expect(shown).toEqual([
      {
        agent: 'a',
        sub_agents: ['b'],
        too_deep: ['a', 'c'],
        cycles: [
          ['c', 'c'],
          ['a', 'b', 'c', 'a'],
        ],
        depth: 1,
        turns_at_once: 40,
      },
      {
        agent: 'b',
        sub_agents: ['a', 'c'],
        too_deep: ['b'],
        cycles: [
          ['c', 'c'],
          ['b', 'c', 'a', 'b'],
        ],
        depth: 2,
        turns_at_once: 40,
      },
      {
        agent: 'c',
        sub_agents: ['a', 'c'],
        too_deep: ['b'],
        cycles: [
          ['c', 'c'],
          ['c', 'a', 'b', 'c'],
        ],
        depth: 1,
        turns_at_once: 40,
      },
    ]);
    expect({ code: all.code, err: all.err }).toEqual({ code: 0, err: '' });
  });

  test('tells which copies of themselves agents come to, and what the models cost that they may have', async () => {
    const ways = 'tools = ["files:read", "sub_agent", "spawn_agent", "delegate_task"]\n';
    const models = 'models = ["openai/gpt-5.1", "openai/unheard-of"]\n';
    const { out, err } = await plan(
      { top: `${ways}${models}${subAgents('helper')}sub_agent = { max_concurrent = 3 }\n`, helper: models },
      'top',
    );
    expect(out.split('\n').slice(0, 20)).toEqual([
      'top',
      '  Model       ollama/llama3.2',
      '  Prices      ollama/llama3.2 free',
      '              openai/gpt-5.1 $1.25 in, $10.00 out',
      '              openai/unheard-of not known',
      '  Sub-agents  helper',
      '  Copies      top by spawn_agent down to level 2, 3 at once',
      '              top by sub_agent down to level 3, 40 at once',
      '              top by delegate_task down to level 2, 3 at once',
      '  Depth       3 (max_depth 3)',
      '  At once     5 expected, 1,000 turns at most (1,000 functions may run)',
      '  Leaves      helper',
      '              1,000 runs $13.25 in Express executions (sub_agents_config.express), $12.67 in Standard ones',
      '  Throughput  12 such runs a second in us-east-1, us-west-2, eu-west-1, 1.3 in other Regions',
      '  Questions   1,000 to people $0.11, 4 transitions each, however long they wait',
      '                                       expected          at most    alone at most',
      // The top, its helper, two copies, and five subtasks with the run that has them done.
      '  runs                                       10            1,001                1',
      '  turns                                      96           50,050               50',
      '  calls of sub-agents                         9          100,100              100',
      '  calls of tools                             80          100,000                0',
    ]);
    expect(err).toBe('');
  });

  test('holds copies to the limits of the agent: levels, calls, and how many work at once', async () => {
    const all = await reports({
      one: 'tools = ["sub_agent"]\n',
      few: 'tools = ["spawn_agent"]\nsub_agent = { max_depth = 1, hard_stop_at = 3, max_concurrent = 2 }\n',
      flat: `tools = ["delegate_task"]\n${config('max_depth = 1', 'parallel = false')}`,
      off: 'tools = ["spawn_agent", "delegate_task"]\nsub_agent = { enabled = false }\n',
      reading: 'tools = ["spawn_agent", "delegate_task"]\nmode = "plan"\n',
    });
    const told = all.agents.map((report: { agent: string; tree_at_most: { runs: number } }) => [
      report.agent,
      report.tree_at_most.runs,
      Object.values(pick(report, 'copies', 'turns_at_once')),
    ]);
    expect(told).toEqual([
      ['few', 4, [[{ agent: 'few', by: 'spawn_agent', depth: 1, at_once: 2 }], 2]],
      ['flat', 601, [[{ agent: 'flat', by: 'delegate_task', depth: 1, at_once: 1 }], 1]],
      ['off', 1, [[], 1]],
      ['one', 1001, [[{ agent: 'one', by: 'sub_agent', depth: 1, at_once: 40 }], 40]],
      ['reading', 1, [[], 1]],
    ]);
  });

  test('says in JSON what it says to people', async () => {
    const { agents } = await reports({ one: '' });
    const usd = {
      step_functions: 0.1,
      lambda: expect.closeTo(0.0206, 4),
      dynamo_db: expect.closeTo(0.0121, 4),
      s3: 0,
      api: 0.001,
      total: expect.closeTo(0.1337, 4),
    };
    const amount = {
      runs: 1,
      turns: 1,
      calls: 0,
      tool_calls: 0,
      approvals: 0,
      transitions: 4,
      events: 16,
      state_bytes: 112,
    };
    expect(agents).toEqual([
      {
        agent: 'one',
        model: 'ollama/llama3.2',
        models: [{ model: 'ollama/llama3.2', usd_per_million_tokens: { input: 0, output: 0 } }],
        sub_agents: [],
        copies: [],
        too_deep: [],
        cycles: [],
        depth: 0,
        max_depth: 3,
        turns_at_once: 1,
        expected_turns_at_once: 1,
        expected: { ...amount, usd_per_1000_runs: usd },
        runs_per_second: { largest_regions: 1250, other_regions: 125 },
        run_at_most: expect.objectContaining(amount),
        tree_at_most: expect.objectContaining(amount),
        problems: [],
        warnings: [],
      },
    ]);
  });

  test('prints what runs of three sizes cost, and what waiting for their answers costs', () => {
    const io = recordedIo('/');
    expect(printFigures({}, io)).toBe(0);
    expect(io.out).toMatch(/^\| run \|.*\n(\|.*\|\n){9}$/);
    expect(io.out).toContain('\n| one turn | 4 | $0.10 |');
    expect(io.out).toContain(
      '\n| besides: a request that waits for 25 s | 0 | $0 | $0.17 | $0.00375 | $0.001 | $0.17 |\n',
    );
  });
});

describe('plan warns', () => {
  const agents = { top: subAgents('mid'), mid: subAgents('low'), low: '' };

  test('where models could call so often that more turns are under way than functions may run', async () => {
    expect(await plan(agents, 'top', { concurrency: 500 })).toMatchObject({
      code: 0,
      err: 'Warning: "top" could have 1000 turns at the same time if each run of "top" and "mid" made 40 calls, but only 500 functions may run at the same time; the others would wait and be retried. To rule this out, set sub_agents_config.parallel = false in "mid", or max_depth = 1 in "top", or raise the account\'s quota and pass --concurrency\n',
    });
    expect((await plan({ top: subAgents('low'), low: '' }, 'top', { concurrency: 39 })).err).toBe(
      'Warning: "top" could have 40 turns at the same time if each run of "top" made 40 calls, but only 39 functions may run at the same time; the others would wait and be retried. To rule this out, set sub_agents_config.parallel = false in "top", or raise the account\'s quota and pass --concurrency\n',
    );
  });

  test('where a budget in dollars cannot be kept to, since a model has no known price', async () => {
    const toml = 'tools = ["sub_agent"]\nmodels = ["openai/unheard-of"]\nbudget.max_usd = 1\n';
    expect(await plan({ top: toml }, 'top')).toMatchObject({
      code: 0,
      err: 'Warning: "top" has a budget in dollars, but the price of "openai/unheard-of" is not known, so that runs with this model fail: set [prices."openai/unheard-of"] in config.toml, or limit tokens\n',
    });
  });

  test('unless the account is said to allow more', async () => {
    expect(await plan(agents, 'top', { concurrency: 1000 })).toMatchObject({ code: 0, err: '' });
  });
});

describe('plan fails with code 2', () => {
  test.each([
    [
      'where more turns are to be expected at once than functions may run',
      {
        top: subAgents(...MANY),
        ...Object.fromEntries(MANY.map((name) => [name, subAgents(...MANY)])),
      },
      '"top" has 64000 turns at the same time if each run calls each of its sub-agents once, but only 1000 functions may run at the same time: set sub_agents_config.parallel = false in "a0", or max_depth = 1 in "top", or raise the account\'s quota and pass --concurrency',
    ],
    [
      'where there are more sub-agents than one answer can call',
      { top: subAgents(...Array.from({ length: 101 }, (_, index) => `a${index % 3}-${index}`)) },
      '"top" has 101 sub-agents, but one answer can make only 100 calls: shorten sub_agents, or put some of them below others',
    ],
    ['where a sub-agent is missing', { top: subAgents('gone') }, 'agent config not found: gone'],
    [
      "where the provider of a sub-agent's model is unknown",
      { top: subAgents('odd'), odd: 'models = ["antropic/claude"]' },
      /agents\/odd\.toml:3:11: unsupported provider "antropic": supported .*; did you mean "anthropic"\?\n$/,
    ],
    ['where a sub-agent is broken', { top: subAgents('odd'), odd: 'timeout = "x"' }, 'agents/odd.toml:3:11'],
  ])('%s, and says what to do', async (_, agents, message) => {
    const { code, err } = await plan(agents, 'top');
    expect(code).toBe(2);
    expect(err).toEqual(
      typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
    );
    expect(err).toMatch(/^(Error: .+\n)+$/);
  });

  test('where the agent itself is missing, and plans nothing', async () => {
    const { code, out, err } = await plan({}, 'gone', { json: true });
    expect({ code, err, agents: JSON.parse(out).agents }).toEqual({
      code: 2,
      err: 'Error: agent config not found: gone; searched: ./agents, ./no-config/cadre/agents (no agents yet; begin with: cadre init)\n',
      agents: [],
    });
  });

  test('where a name is mistyped, with the nearest one and nothing else', async () => {
    expect(await plan({ review: '' }, 'reveiw')).toEqual({
      code: 2,
      out: '',
      err: 'Error: agent config not found: reveiw; did you mean "review"? searched: ./agents, ./no-config/cadre/agents\n',
    });
  });
});

function pick(report: object, ...names: string[]): object {
  return Object.fromEntries(Object.entries(report).filter(([name]) => names.includes(name)));
}
