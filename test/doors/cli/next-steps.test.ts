import { expect, test } from 'vitest';
import { answer, openQuestions } from '../../fixtures/questions.ts';
import { aRun, keepRun } from '../../fixtures/records.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { call, openStage, use } from '../../fixtures/stage.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { typed } from '../../fixtures/typed.ts';

const next = async (cwd: string, env: Record<string, string> = {}) => {
  const { code, out, err } = await typed([], cwd, { env });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
};

test('where there is nothing, `cadre` alone says how to begin', async () => {
  expect(await next(await tempFolder())).toBe(`No agents in this folder yet. What to do next:

  cadre init                begins a project with an agent, a tool and tests
  cadre agents init <name>  writes an agent with every key that there is
  cadre doctor              says what keeps agents from running
  cadre help                lists all commands
`);
});

test('below a project, where its agents are', async () => {
  const cwd = await tempFolder({ 'agents/one.toml': '', 'src/a/b.ts': '' });
  expect(await next(`${cwd}/src/a`)).toContain(`
  cd ../..      leads to the project around this folder, which has agents
`);
  const none = 'in ./agents or ./no-config/cadre/agents';
  expect([
    await typed(['agents', 'list'], `${cwd}/src/a`),
    await typed(['run', 'one'], `${cwd}/src`),
  ]).toEqual([
    { code: 0, out: '', err: `no agents ${none}; some are in ../../agents: cd ../..\n` },
    {
      code: 2,
      out: '',
      err: 'Error: agent config not found: one; searched: ./agents, ./no-config/cadre/agents (there are agents in ../agents; first: cd ..)\n',
    },
  ]);
  const given = await typed(['run', 'two', '--agents-dir', '.'], `${cwd}/src`);
  expect(given.err).toBe(
    'Error: agent config not found: two; searched: . (no agents yet; begin with: cadre init)\n',
  );
});

test('where there are agents, how to run them', async () => {
  const one = 'name = "one"\nmodel = "offline/extractive"\n';
  expect(await next(await tempFolder({ 'agents/one.toml': one }))).toBe(`1 agent here. What to do next:

  cadre run one -p "…"  runs one; "cadre agents list" says what each is for
  cadre agents check    finds what is wrong with their files
  cadre serve           shows runs in the browser, and steers them
  cadre doctor          says what keeps agents from running
  cadre help            lists all commands
`);
});

test('where agents lack a key, or cannot be loaded, what to do about it', async () => {
  const of = (model: string) => `name = "x"\nmodel = "${model}"\n`;
  const cwd = await tempFolder({
    'agents/one.toml': of('anthropic/claude-haiku-5-5').replace('x', 'one'),
    'agents/two.toml': of('anthropic/claude-sonnet-5-5').replace('x', 'two'),
    'agents/three.toml': of('openai/gpt-5.1').replace('x', 'three'),
    'agents/four.toml': 'nmae = "four"\n',
  });
  expect(await next(cwd, { OPENAI_API_KEY: 'sk-x' })).toBe(`4 agents here. What to do next:

  export ANTHROPIC_API_KEY=…  needed by 2 agents; "cadre config init" makes a file for keys
  cadre run <agent> -p "…"    runs one; "cadre agents list" says what each is for
  cadre agents check          says why 1 agent cannot be loaded
  cadre serve                 shows runs in the browser, and steers them
  cadre doctor                says what keeps agents from running
  cadre help                  lists all commands
`);
});

test('what became of the newest run comes first, and what asks a person before it', async () => {
  const stage = await openStage(
    {
      top: ({ turn }) => (turn === 1 ? [call('kid', 'x')] : 'done'),
      kid: ({ turn }) => (turn === 1 ? [use('ask_user', { question: 'Which one?' })] : 'this one'),
    },
    { top: 'sub_agents = ["kid"]\n', kid: 'tools = ["ask_user"]\n' },
  );
  const ended = stage.run();
  const [asked] = await openQuestions(stage.pipeline.store, 1);
  const steps = async () => (await next(stage.cwd)).split('\n').slice(0, 5);
  expect(await steps()).toEqual([
    '2 agents here. What to do next:',
    '',
    '  cadre questions           1 question to you',
    '  cadre show last           top: running',
    '  cadre run <agent> -p "…"  runs one; "cadre agents list" says what each is for',
  ]);
  if (asked !== undefined) await answer(stage.cwd, asked, 'red');
  await ended;
  expect((await steps()).slice(2, 4)).toEqual([
    '  cadre show last           top: succeeded',
    '  cadre run <agent> -p "…"  runs one; "cadre agents list" says what each is for',
  ]);
});

test('a run without a process is continued by its id', async () => {
  const cwd = await tempFolder({ 'agents/top.toml': 'name = "top"\nmodel = "offline/extractive"\n' });
  const local = await openLocalStore(cwd);
  const left = aRun();
  await keepRun(local.runs, left);
  await local.close();
  expect(await next(cwd)).toContain(
    `  cadre resume ${left.id}  top: interrupted, and goes on where it was\n`,
  );
});
