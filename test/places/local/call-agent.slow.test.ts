import { seconds } from '../../../src/core/records/times.ts';
import { describe, expect, test } from 'vitest';
import { ModelError, type ModelErrorCategory } from '../../../src/errors.ts';
import { call, latch, openStage, silence, type Asked, type Role, type Stage } from '../../fixtures/stage.ts';

const subAgents = (...names: string[]) => `sub_agents = ${JSON.stringify(names)}\n`;
/** Makes these calls in the first turn, and then says what came back. */
const delegating = (...calls: ReturnType<typeof call>[]): Role => {
  return ({ turn, results }) => (turn === 1 ? calls : JSON.stringify(results));
};
const failed = (agent: string, reason: string) =>
  `Error: sub-agent "${agent}" failed - ${reason}. You may retry or proceed without this result.`;
const resultsOf = ({ out }: { out: string }): unknown => JSON.parse(out);

/** How the steps of a run's turns began and ended, in order: `0 Started`. */
function iterationsOf(stage: Stage, run: string): string[] {
  return (stage.histories(run).get(run) ?? []).flatMap((event) => {
    const [, what] = /^MapIteration(\w+)$/.exec(event.type) ?? [];
    const details = event[`mapIteration${what}EventDetails`];
    const isIteration = typeof details === 'object' && details !== null && 'index' in details;
    return isIteration ? [`${String(details['index'])} ${what}`] : [];
  });
}

describe('a sub-agent', () => {
  test('gets its own prompt, model, parameters and files, the task and the context, and nothing else', async () => {
    const stage = await openStage(
      { top: delegating(call('kid', 'look here', 'it is dark')), kid: () => 'found it' },
      {
        top: `${subAgents('kid')}system_prompt = "parent prompt"\nfiles = ["secret.txt"]\nworkdir = "parent"\n[params]\ntemperature = 0.9\nmax_tokens = 99\n`,
        kid: 'system_prompt = "child prompt"\nfiles = ["*.md"]\nworkdir = "child"\nskill = "texts/own.md"\n[params]\ntemperature = 0.1\nmax_tokens = 7\n',
      },
      {
        'parent/secret.txt': 'parent file',
        'parent/x.md': 'parent file',
        'child/y.md': 'child file',
        'texts/own.md': 'child skill',
        'texts/users.md': 'user skill',
      },
    );
    const ended = await stage.run({
      context: 'users context',
      overrides: { skill: 'texts/users.md', workdir: 'parent', timeout: seconds(60) },
    });

    expect(stage.asked[1]?.request).toEqual({
      model: 'kid',
      system:
        'child prompt\n\n---\n\n## Skill\n\nchild skill\n\n---\n\n## Context Files\n\n### y.md\n```md\nchild file\n```',
      messages: [{ role: 'user', text: 'Task: look here\n\nContext:\nit is dark' }],
      tools: [],
      temperature: 0.1,
      maxTokens: 7,
    });
    expect(ended).toMatchObject({ code: 0, out: '["found it"]', err: '' });
  });

  test('without a context, or with a blank one, gets the task alone', async () => {
    const stage = await openStage(
      { top: delegating(call('kid', 'one'), call('kid', 'two', ' \n')), kid: ({ message }) => message },
      { top: subAgents('kid') },
    );
    expect(resultsOf(await stage.run())).toEqual(['Task: one', 'Task: two']);
  });

  test('hands back its final text alone, without earlier ones', async () => {
    const stage = await openStage(
      {
        top: delegating(call('kid', 'x')),
        kid: ({ turn }) =>
          turn === 1 ? { text: 'thinking aloud', calls: [call('leaf', 'y')] } : 'the last word',
        leaf: () => 'a leaf',
      },
      { top: subAgents('kid'), kid: subAgents('leaf') },
    );
    await stage.run();
    expect(stage.asked.at(-1)?.request.messages).toEqual([
      { role: 'user', text: 'go' },
      { role: 'assistant', text: '', calls: [expect.objectContaining({ name: 'call_agent' })] },
      {
        role: 'tool',
        results: [{ callId: expect.any(String), name: 'call_agent', text: 'the last word', isError: false }],
      },
    ]);
  });

  test('does not get the --model of the user', async () => {
    const stage = await openStage(
      { top: () => 'not asked', other: delegating(call('kid', 'x')), kid: () => 'kid' },
      { top: subAgents('kid') },
    );
    await stage.run({ overrides: { model: 'stage/other' } });
    expect(stage.asked.map(({ agent }) => agent)).toEqual(['other', 'kid', 'other']);
  });
});

describe('how deep it goes', () => {
  const self: Role = ({ turn, request }) =>
    turn === 1 && request.tools.length > 0 ? [call('top', 'deeper')] : `${request.tools.length}`;

  test.each([
    ['3 by default', '', 3],
    ['as the agent says', '[sub_agents_config]\nmax_depth = 1\n', 1],
    ['5 at most', '[sub_agents_config]\nmax_depth = 5\n', 5],
  ])('is %s: an agent has the tool only above that', async (_, config, depth) => {
    const stage = await openStage({ top: self }, { top: subAgents('top') + config });
    const { tree, code } = await stage.run();
    expect(code).toBe(0);
    expect(tree.map((run) => run.depth)).toEqual(Array.from({ length: depth + 1 }, (__, index) => index));
    const offered = stage.asked.filter(({ turn }) => turn === 1).map(({ request }) => request.tools.length);
    expect(offered).toEqual([...Array<number>(depth).fill(1), 0]);
  });

  test("is the top's for the whole tree", async () => {
    const stage = await openStage(
      {
        top: delegating(call('kid', 'x')),
        kid: delegating(call('kid', 'x')),
      },
      {
        top: `${subAgents('kid')}[sub_agents_config]\nmax_depth = 2\n`,
        kid: `${subAgents('kid')}[sub_agents_config]\nmax_depth = 5\n`,
      },
    );
    const { out } = await stage.run();
    const refusal = 'call_agent error: maximum sub-agent depth (2) reached';
    expect(out).toBe(JSON.stringify([JSON.stringify([JSON.stringify([refusal])])]));
  });
});

describe('several calls in one answer', () => {
  test('are under way at once, and their results come in call order, in any order of their ends', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const everyone = latch();
    const ended = new Map(names.map((name) => [name, latch()]));
    let running = 0;
    const finished: string[] = [];
    const kid = async ({ agent }: Asked) => {
      if (++running === names.length) everyone.open();
      await everyone.opened;
      // The last call ends first.
      await ended.get(names[names.indexOf(agent) + 1] ?? '')?.opened;
      finished.push(agent);
      ended.get(agent)?.open();
      return agent.toUpperCase();
    };
    const stage = await openStage(
      { top: delegating(...names.map((name) => call(name, 'x'))), a: kid, b: kid, c: kid, d: kid },
      { top: subAgents(...names) },
    );
    expect(resultsOf(await stage.run())).toEqual(['A', 'B', 'C', 'D']);
    expect(finished).toEqual(['d', 'c', 'b', 'a']);
  });

  test('run one after another, in order, where parallel is false, and that is each agent its own', async () => {
    const bothThere = latch();
    let leaves = 0;
    const stage = await openStage(
      {
        top: delegating(call('a', 'x'), call('b', 'x'), call('wide', 'x')),
        a: () => 'a',
        b: () => 'b',
        wide: delegating(call('leaf', '1'), call('leaf', '2')),
        async leaf() {
          if (++leaves === 2) bothThere.open();
          await bothThere.opened;
          return 'leaf';
        },
      },
      {
        top: `${subAgents('a', 'b', 'wide')}[sub_agents_config]\nparallel = false\n`,
        wide: subAgents('leaf'),
      },
    );
    const ended = await stage.run();
    expect(resultsOf(ended)).toEqual(['a', 'b', '["leaf","leaf"]']);
    const { id } = ended.run;
    expect(iterationsOf(stage, id)).toEqual([
      '0 Started',
      '0 Succeeded',
      '1 Started',
      '1 Succeeded',
      '2 Started',
      '2 Succeeded',
    ]);
    expect(iterationsOf(stage, `${id.replace('top', 'wide')}-t1c3`).slice(0, 2)).toEqual([
      '0 Started',
      '1 Started',
    ]);
  });

  test('do not disturb each other: one fails while the others work', async () => {
    const failure = latch();
    const stage = await openStage(
      {
        top: delegating(call('good', 'x'), call('bad', 'x'), call('good', 'y')),
        async good() {
          await failure.opened;
          return 'good';
        },
        bad() {
          throw new ModelError('rate_limit', 'slow down');
        },
      },
      { top: subAgents('good', 'bad') },
    );
    stage.onEvent(({ type, agent }) => {
      if (type === 'run_closed' && agent === 'bad') failure.open();
    });
    const ended = await stage.run();
    expect(resultsOf(ended)).toEqual(['good', failed('bad', 'rate_limit: slow down'), 'good']);
    expect(ended).toMatchObject({ code: 0, err: '' });
    expect(ended.tree.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'failed', 'succeeded']);
  });

  test('are carried out when they are a hundred, at most 40 at once, with results in order; those beyond are refused', async () => {
    let asked = 0;
    const forty = latch();
    const stage = await openStage(
      {
        top: delegating(...Array.from({ length: 102 }, (_, index) => call('kid', `${index}`))),
        async kid({ message }) {
          if (++asked === 40) forty.open();
          await forty.opened;
          return message.slice('Task: '.length);
        },
      },
      { top: subAgents('kid') },
    );
    const ended = await stage.run();
    const refusal = 'Error: too many tool calls in one answer (102); only the first 100 ran';
    expect(resultsOf(ended)).toEqual([
      ...Array.from({ length: 100 }, (_, index) => `${index}`),
      refusal,
      refusal,
    ]);
    let atOnce = 0;
    const counts = iterationsOf(stage, ended.run.id).map((event) =>
      event.endsWith('Started') ? ++atOnce : --atOnce,
    );
    expect([Math.max(...counts), counts.at(-1)]).toEqual([40, 0]);
  });
});

describe('a call that cannot be carried out', () => {
  test('is answered in words, in call order among those that can', async () => {
    const stage = await openStage(
      {
        top: delegating(
          { id: '1', name: 'no_such_tool', arguments: {} },
          call('', 'x'),
          call('kid', 'works'),
          call('kid', ' '),
          call('stranger', 'x'),
          { id: '6', name: 'call_agent', arguments: {} },
        ),
        kid: ({ message }) => message,
        stranger: () => 'never asked',
      },
      { top: subAgents('kid') },
    );
    const ended = await stage.run();
    expect(resultsOf(ended)).toEqual([
      'Unknown tool: "no_such_tool"',
      'call_agent error: "agent" argument is required',
      'Task: works',
      'call_agent error: "task" argument is required',
      'call_agent error: agent "stranger" is not in this agent\'s sub_agents list',
      'call_agent error: "agent" argument is required',
    ]);
    expect(ended.tree).toHaveLength(2);
    const results = stage.asked.at(-1)?.request.messages.at(-1);
    expect(results?.role === 'tool' && results.results.map(({ isError }) => isError)).toEqual([
      true,
      true,
      false,
      true,
      true,
      true,
    ]);
  });

  test('leaves nothing to do for the machine where it is the only one', async () => {
    const stage = await openStage(
      { top: delegating(call('kid', '')), kid: () => 'never asked' },
      { top: subAgents('kid') },
    );
    expect(resultsOf(await stage.run())).toEqual(['call_agent error: "task" argument is required']);
  });

  test('takes numbers and objects for the text that they mean', async () => {
    const stage = await openStage(
      {
        top: delegating(call('kid', 42, { a: [1] }), call(7, true)),
        kid: ({ message }) => message,
        7: () => '',
      },
      { top: subAgents('kid', '7'), 7: 'description = "seven"\n' },
    );
    expect(resultsOf(await stage.run())).toEqual(['Task: 42\n\nContext:\n{"a":[1]}', '']);
  });
});

describe('a sub-agent that fails', () => {
  const files = {
    'agents/broken.toml': 'name = "broken"\nmodel = [',
    'agents/nameless.toml': 'model = "stage/kid"\n',
    'agents/formless.toml': 'name = "formless"\nmodel = "gpt"\n',
    'agents/strange.toml': 'name = "strange"\nmodel = "nobody/x"\n',
    'agents/keyless.toml': 'name = "keyless"\nmodel = "openai/gpt-5.1"\n',
    'agents/unskilled.toml': 'name = "unskilled"\nmodel = "stage/kid"\nskill = "absent"\n',
    'agents/unfiled.toml': 'name = "unfiled"\nmodel = "stage/kid"\nfiles = ["a["]\n',
    'agents/lost.toml': 'name = "lost"\nmodel = "stage/kid"\nfiles = ["*"]\nworkdir = "absent"\n',
  };
  test.each([
    ['missing', /^failed to load agent "missing": agent config not found: missing$/],
    [
      'broken',
      /^failed to load agent "broken": failed to parse agent config "broken": agents\/broken.toml:2:\d+: .+$/,
    ],
    ['nameless', /^failed to load agent "nameless": .*agent config missing required field: name$/],
    [
      '../../etc/passwd',
      /^failed to load agent "\.\.\/\.\.\/etc\/passwd": invalid agent name "\.\.\/\.\.\/etc\/passwd": .+$/,
    ],
    ['no name', /^failed to load agent "no name": invalid agent name "no name": .+$/],
    ['-dash', /^failed to load agent "-dash": invalid agent name "-dash": .+$/],
    [
      'formless',
      /^invalid model for agent "formless": invalid model format "gpt": expected provider\/model-name$/,
    ],
    ['strange', /^unsupported provider "nobody": supported providers are .+$/],
    [
      'keyless',
      /^API key for provider "openai" is not configured \(set OPENAI_API_KEY, or api_key under \[providers\.openai\] in .+\/config\.toml, which cadre config init writes\)$/,
    ],
    [
      'unskilled',
      /^failed to load skill for agent "unskilled": skill not found: .+\/skills\/absent\/SKILL.md$/,
    ],
    ['unfiled', /^failed to resolve files for agent "unfiled": invalid glob pattern "a\[": .+$/],
    ['lost', /^failed to resolve files for agent "lost": failed to read workdir .+\/absent: .+$/],
  ])('for what is wrong with "%s" tells its parent what, and the parent goes on', async (name, reason) => {
    const stage = await openStage(
      { top: delegating(call(name, 'x'), call('kid', 'x')), kid: () => 'fine' },
      { top: subAgents(name, 'kid') },
      files,
    );
    const ended = await stage.run();
    expect(ended).toMatchObject({ code: 0, err: '' });
    const [first, second] = JSON.parse(ended.out);
    expect(first).toMatch(
      /^Error: sub-agent "[^"]+" failed - .+\. You may retry or proceed without this result\.$/s,
    );
    expect(
      String(first)
        .split('failed - ')
        .slice(1)
        .join('failed - ')
        .replace(/\. You may retry.*$/s, ''),
    ).toMatch(reason);
    expect(second).toBe('fine');
  });

  const categories: ModelErrorCategory[] = [
    'auth',
    'bad_request',
    'rate_limit',
    'overloaded',
    'server',
    'timeout',
  ];
  test.each(categories)('for the class %s of its API tells its parent', async (category) => {
    const stage = await openStage(
      {
        top: delegating(call('kid', 'x')),
        kid() {
          throw new ModelError(category, 'so it is');
        },
      },
      { top: subAgents('kid') },
    );
    const ended = await stage.run();
    expect(resultsOf(ended)).toEqual([failed('kid', `${category}: so it is`)]);
    expect(ended).toMatchObject({ code: 0, err: '' });
  });

  test('by talking for more than 50 turns tells its parent', async () => {
    const stage = await openStage(
      {
        top: delegating(call('kid', 'x')),
        kid: () => [{ id: '1', name: 'no_such_tool', arguments: {} }],
      },
      { top: subAgents('kid') },
    );
    const ended = await stage.run();
    expect(resultsOf(ended)).toEqual([failed('kid', 'agent exceeded maximum conversation turns (50)')]);
    expect(ended.code).toBe(0);
  });

  test('by being late tells its parent, as each agent itself sets the time, and takes none from the next', async () => {
    const below = await openStage(
      {
        top: delegating(call('manager', 'x')),
        manager: delegating(call('late', 'x')),
        late: silence,
      },
      {
        top: `${subAgents('manager')}[sub_agents_config]\ntimeout = 30\n`,
        manager: `${subAgents('late')}[sub_agents_config]\ntimeout = 1\n`,
      },
    );
    const inOrder = await openStage(
      { top: delegating(call('late', 'x'), call('kid', 'x')), late: silence, kid: () => 'in time' },
      { top: `${subAgents('late', 'kid')}[sub_agents_config]\ntimeout = 1\nparallel = false\n` },
    );
    const [nested, sequential] = await Promise.all([below.run(), inOrder.run()]);

    const late = failed('late', 'timeout after 1s');
    expect(resultsOf(nested)).toEqual([JSON.stringify([late])]);
    expect(nested.code).toBe(0);
    expect(nested.tree.map(({ agent, status }) => `${agent} ${status}`)).toEqual([
      'top succeeded',
      'manager succeeded',
      'late timed_out',
    ]);
    expect(resultsOf(sequential)).toEqual([late, 'in time']);
  });
});
