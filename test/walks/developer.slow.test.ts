import { HttpAgent } from '@ag-ui/client';
import { join } from 'node:path';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { startCommand } from '../fixtures/command.ts';
import { scriptedAgent } from '../fixtures/scripted-agent.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';
import { beginProject } from './project.ts';

// The first hour of a developer who calls agents from an application: each test is a step of it.

const ASKER = scriptedAgent(
  'asker',
  [],
  'tools = ["ask_user", "write_file"]\nmode = "ask"\npatience = "1d"\n',
);

test('calls an agent from ask.ts', async () => {
  const { node } = await beginProject();
  expect(await node('ask.ts')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/`hello`[^]* 0\n$/),
  });
});

test('tests agents over hours, with a question and a denied call, and is told of wrong options', async () => {
  const { node } = await beginProject({
    ...ASKER,
    'walk.mts': `import { call, openTestCadre } from 'cadre/testing';
const cadre = await openTestCadre({
  models: {
    asker: [
      call('ask_user', { question: 'Which one?' }),
      call('write_file', { path: 'a.md', content: 'x' }),
      ({ results }) => String(results),
    ],
  },
});
const began = cadre.now().getTime();
const { id, result } = await cadre.start('asker');
for await (const event of cadre.watch(id)) {
  if (event.type !== 'question_asked') continue;
  await cadre.pass('6h');
  await cadre.answer(event, event.approval === undefined ? 'red' : 'deny not there');
}
const { content } = await result();
const wrong = await openTestCadre({ model: {} }).catch((error) => error.message);
const [first] = await cadre.calls(id);
console.log(JSON.stringify([content, first.result, (cadre.now().getTime() - began) / 3_600_000, wrong]));
await cadre.close();
`,
  });
  const { err, out } = await node('walk.mts');
  expect({ err, out: out.trim() }).toEqual({
    err: '',
    out: JSON.stringify([
      'Permission denied: "write_file" was denied by the user: not there',
      'red',
      12,
      'invalid option model: there is no such option, did you mean "models"?',
    ]),
  });
});

test('talks to an agent with the packages of OpenAI and AG-UI, and mistypes its name', async () => {
  const { folder } = await beginProject();
  const served = startCommand(['serve', '--port', '0'], folder);
  await served.says('stop with Ctrl-C');
  const at = (name: string) => new RegExp(`${name} +(\\S+)`).exec(served.err)?.[1] ?? '';
  const openai = new OpenAI({ baseURL: at('OpenAI'), apiKey: 'none', maxRetries: 0 });
  const ask = async (model: string) =>
    openai.chat.completions.create({ model, messages: [{ role: 'user', content: 'What is this?' }] });
  expect((await ask('cadre/hello')).choices[0]?.message.content).toContain('`hello`');
  await expect(ask('hello')).rejects.toThrow('did you mean "cadre/hello"?');

  const agent = new HttpAgent({ url: at('AG-UI').replace('<agent>', 'hello') });
  agent.addMessage({ id: '1', role: 'user', content: 'What is this?' });
  const { newMessages } = await agent.runAgent();
  expect(newMessages).toMatchObject([{ role: 'assistant', content: expect.stringContaining('`hello`') }]);
});

test('looks at what a server of tools offers, and learns which help to ask for', async () => {
  const { cadre, write } = await beginProject();
  const server = JSON.stringify(join(import.meta.dirname, '../fixtures/mcp-server.mjs'));
  await write(
    'agents/tickets.toml',
    `name = "tickets"\nmodel = "offline/extractive"\n[[mcp_servers]]\nname = "desk"\ncommand = "node"\nargs = [${server}]\n`,
  );
  expect((await cadre('mcp', 'tools', 'tickets')).out).toContain('mcp__desk__');
  expect((await cadre('mcp', 'tools')).err).toContain('(see: cadre mcp tools --help)');
});

test('imports agents of five other tools, which pass the check', async () => {
  const cwd = await tempFolder({
    '.claude/agents/reviewer.md':
      '---\nname: reviewer\ndescription: Reviews\ntools: Read, Grep, Bash\nmodel: sonnet\n---\nYou review.\n',
    '.codex/agents/fixer.toml':
      'name = "fixer"\ndescription = "Fixes"\ndeveloper_instructions = "You fix."\nmodel = "gpt-5.1-codex"\nsandbox_mode = "read-only"\n',
    '.gemini/agents/scout.md':
      '---\nname: scout\ndescription: Looks things up\ntools:\n  - read_file\n  - google_web_search\nmodel: gemini-2.5-pro\n---\nYou scout.\n',
    '.github/agents/tester.agent.md':
      '---\nname: tester\ndescription: Tests\ntools: ["read", "edit"]\nmodel: GPT-5\n---\nYou test.\n',
    '.opencode/agent/planner.md':
      '---\ndescription: Plans\nmodel: anthropic/claude-sonnet-4-5\npermission:\n  edit: deny\n---\nYou plan.\n',
  });
  const imported = await startCommand(['import', '.'], cwd).ended();
  expect(imported.code).toBe(0);
  expect(imported.err).toContain(
    '.gemini/agents/scout.md:6: Cadre has no such tool, left out: google_web_search',
  );
  const { code, out } = await startCommand(['agents', 'check'], cwd).ended();
  expect({ code, out }).toEqual({
    code: 0,
    out: 'fixer: ok\nplanner: ok\nreviewer: ok\nscout: ok\ntester: ok\n',
  });
});

test('mistypes a model, lacks a key, and goes on with another model', async () => {
  const { cadre } = await beginProject();
  expect(await cadre('run', 'hello', '--model', 'opnai/gpt-5.1')).toMatchObject({
    code: 1,
    err: expect.stringContaining('did you mean "openai"?'),
  });
  expect(await cadre('run', 'hello', '--model', 'openai/gpt-5.1')).toMatchObject({
    code: 3,
    err: expect.stringContaining('set OPENAI_API_KEY'),
  });
  const resumed = await cadre('resume', 'last', '--model', 'offline/extractive');
  expect(resumed).toMatchObject({ code: 0, out: expect.stringContaining('`hello`') });
});
