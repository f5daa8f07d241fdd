import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ToolCall } from '../../../src/core/records/message.ts';
import { openStage, type Role } from '../../fixtures/stage.ts';
import { answer, openQuestions } from '../../fixtures/questions.ts';
import { startToolServer } from '../../fixtures/tool-server.ts';

const PROGRAM = join(import.meta.dirname, '../../fixtures/mcp-server.mjs');
const CANARY = 'canary-5f2a9c71';

function use(tool: string, args: ToolCall['arguments'] = {}): ToolCall {
  return { id: `call-${tool}`, name: `mcp__docs__${tool}`, arguments: args };
}

/** Makes these calls one after another, and answers with what came of the last. */
function calling(...calls: ToolCall[]): Role {
  return ({ turn, results }) => {
    const next = calls[turn - 1];
    return next === undefined ? results.join('\n') : [next];
  };
}

function command(more = '', args: string[] = []): string {
  const all = [PROGRAM, ...args].map((each) => JSON.stringify(each)).join(', ');
  return `[[mcp_servers]]\nname = "docs"\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${all}]\n${more}\n`;
}

function url(where: string, more = ''): string {
  return `[[mcp_servers]]\nname = "docs"\nurl = "${where}"\n${more}\n`;
}

test('an agent calls the tools of a server that is a command, and of one at a URL', async () => {
  const { url: where } = await startToolServer('both');
  const role = calling(use('echo', { word: 'hi' }));
  const stage = await openStage({ top: role, far: role }, { top: command(), far: url(where) });
  expect(await stage.run()).toMatchObject({ code: 0, out: 'echo: hi' });
  expect(await stage.run({ agent: 'far' })).toMatchObject({ code: 0, out: 'echo: hi' });
  const [first] = stage.asked;
  expect(Object.keys(first?.request.tools[0] ?? {}).sort()).toEqual(['description', 'name', 'parameters']);
});

test('a server is asked once what it offers, for as long as that holds', async () => {
  const server = await startToolServer('both');
  const call: ToolCall[] = ['a', 'b'].map((id) => ({
    id,
    name: 'call_agent',
    arguments: { agent: 'kid', task: id },
  }));
  const stage = await openStage(
    { top: ({ turn }) => (turn === 1 ? call : 'done'), kid: () => 'ok' },
    { top: `sub_agents = ["kid"]\n${url(server.url)}`, kid: url(server.url) },
  );
  expect(await stage.run()).toMatchObject({ code: 0, out: 'done' });
  const listed = server.arrived.filter(({ body }) => body.includes('tools/list'));
  expect(listed).toHaveLength(1);
});

test('a server adds its instructions to the system prompt where the file allows it', async () => {
  const { url: where } = await startToolServer('both');
  const stage = await openStage(
    { top: () => 'done', quiet: () => 'done' },
    {
      top: `system_prompt = "Be brief."\nmemory = { enabled = true }\n${url(where, 'instructions = true')}`,
      quiet: `system_prompt = "Be brief."\n${url(where)}`,
    },
  );
  await stage.run();
  await stage.run();
  await stage.run({ agent: 'quiet' });
  const [first, second, quiet] = stage.asked.map(({ request }) => request.system);
  const told = 'Be brief.\n\n---\n\n## Servers\n\n### docs\nAsk for one word at a time.\nNever shout.';
  expect(first).toBe(told);
  expect(second?.startsWith(`${told}\n\n---\n\n## Memory\n\n`)).toBe(true);
  expect(quiet).toBe('Be brief.');
});

test('tools are taken away by filters, by rules and by mode plan', async () => {
  const { url: where } = await startToolServer('both');
  const offered = async (extra: string) => {
    const stage = await openStage({ top: () => 'done' }, { top: extra });
    await stage.run();
    return stage.asked[0]?.request.tools.map(({ name }) => name.replace('mcp__docs__', ''));
  };
  expect(await offered(url(where, 'tools = ["echo", "pid"]'))).toEqual(['echo', 'pid']);
  expect(await offered(url(where, 'tools = ["echo", "pid"]\ndisallowed_tools = ["pid"]'))).toEqual(['echo']);
  expect(await offered(`mode = "plan"\n${url(where, 'read_only = ["echo"]')}`)).toEqual(['echo']);
  expect(
    await offered(`permissions = { deny = ["mcp__docs__e*"] }\n${url(where, 'tools = ["echo", "pid"]')}`),
  ).toEqual(['pid']);
  expect(await offered(`permissions = { deny = ["mcp__docs__*"] }\n${url(where)}`)).toEqual([]);
});

test('in mode ask, only what the file says changes nothing needs no approval', async () => {
  const stage = await openStage(
    { top: calling(use('echo', { word: 'hi' })), other: calling(use('echo', { word: 'hi' })) },
    { top: `mode = "ask"\n${command()}`, other: `mode = "ask"\n${command('read_only = ["echo"]')}` },
  );
  const ended = stage.run();
  for (const open of await openQuestions(stage.pipeline.store, 1)) {
    expect(open.question.approval).toEqual({ tool: 'mcp__docs__echo', arguments: { word: 'hi' } });
    await answer(stage.cwd, open, 'approve', undefined, { word: 'ho' });
  }
  expect((await ended).out).toBe('[arguments changed by the user: word: "hi" → "ho"]\n\necho: ho');
  expect((await stage.run({ agent: 'other' })).out).toBe('echo: hi');
});

test('a run fails where a required server does not answer, and goes on with a warning where it is not', async () => {
  const broken = '[[mcp_servers]]\nname = "docs"\ncommand = "no-such-command-at-all"\n';
  const stage = await openStage(
    { top: () => 'done', other: () => 'done' },
    { top: broken, other: `${broken}required = false\n` },
  );
  const why =
    'server "docs" does not answer: there is no command "no-such-command-at-all", or its folder does not exist';
  expect(await stage.run()).toMatchObject({ code: 1, err: `Error: ${why}\n` });
  const ended = await stage.run({ agent: 'other' });
  expect(ended).toMatchObject({ code: 0, out: 'done' });
  expect(ended.err).toContain(`${why}; the agent goes on without its tools`);
});

test('a secret that is missing is named, with what to do about it', async () => {
  const stage = await openStage({ top: () => 'done' }, { top: command('env = { TOKEN = "${DOCS_TOKEN}" }') });
  expect(await stage.run()).toMatchObject({
    code: 2,
    err: 'Error: server "docs" needs the secret DOCS_TOKEN: set DOCS_TOKEN in the environment, or in [secrets] of config.toml\n',
  });
});

test('a server gets what the file names, and no other variable of ours', async () => {
  const stage = await openStage(
    { top: calling(use('environment')) },
    { top: command('env = { MODE = "quiet" }') },
  );
  expect((await stage.run()).out).toBe('CADRE_PROCESS_TREE MODE TERM');
});

test.each(['command', 'url'] as const)(
  'no secret is kept or told, even one that a server tells: %s',
  async (kind) => {
    const server = await startToolServer('both');
    const own =
      kind === 'command'
        ? command('env = { TOKEN = "${DOCS_TOKEN}" }')
        : url(server.url, 'headers = { Authorization = "Bearer ${DOCS_TOKEN}" }');
    const role = calling(use('secret'), use('no-such-tool'), use('echo', { word: 'x' }));
    const stage = await openStage(
      { top: role },
      { top: own },
      { 'no-config/cadre/config.toml': `[secrets]\nDOCS_TOKEN = "${CANARY}"\n` },
    );
    const { code, out, err } = await stage.run();
    expect({ code, out }).toEqual({ code: 0, out: 'echo: x' });
    if (kind === 'url') expect(server.arrived.at(-1)?.headers.get('authorization')).toBe(`Bearer ${CANARY}`);
    else expect(stage.asked[1]?.results).toEqual(['it is [secret]']);
    expect(err).not.toContain(CANARY);
    const kept = await readdir(join(stage.cwd, '.cadre'), { recursive: true, withFileTypes: true });
    const files = kept.filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(0);
    const telling: string[] = [];
    for (const file of files) {
      if ((await readFile(join(file.parentPath, file.name))).includes(CANARY)) telling.push(file.name);
    }
    expect(telling).toEqual([]);
    expect(JSON.stringify(stage.asked.map(({ request }) => request))).not.toContain(CANARY);
  },
);

test('processes that a server started end with the command', async () => {
  const stage = await openStage({ top: calling(use('pid')) }, { top: command() });
  const pid = Number((await stage.run()).out);
  expect(isAlive(pid)).toBe(true);
  await stage.pipeline.close();
  await expect.poll(() => isAlive(pid)).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
