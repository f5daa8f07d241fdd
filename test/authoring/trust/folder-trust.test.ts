import { cp, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localSources } from '../../../src/authoring/loading/local-sources.ts';
import { runCommandLine } from '../../../src/doors/cli/command-line.ts';
import { localFunctions } from '../../../src/places/local/local-functions.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { toolServer } from '../../fixtures/tool-server.ts';

const agent = (name: string, more = '') => `name = "${name}"\nmodel = "offline/extractive"\n${more}\n`;

/** A program that cannot be started, so that a run which is allowed to begin says so. */
const SERVER = '[[mcp_servers]]\nname = "docs"\ncommand = "./no-such-command"\nargs = ["--all"]\n';
const MODULE = '[[functions]]\nname = "look_up"\ndescription = "x"\nfile = "tools/look-up.ts"\n';

const CLONE = {
  'clone/agents/top.toml': agent('top', 'sub_agents = ["kid"]'),
  'clone/agents/kid.toml': agent('kid', SERVER + MODULE),
  'clone/agents/plain.toml': agent('plain'),
  'clone/tools/look-up.ts': 'export const handler = () => 1;',
};

const allFolders = (files: Record<string, string> = {}) => tempFolder({ ...CLONE, ...files });

/** Types commands as a user who has trusted no folder yet. */
function userIn(root: string, answer?: (question: string) => boolean) {
  return async (words: string[], folder = 'clone', env: Record<string, string> = {}, stdin = '') => {
    const cwd = join(root, folder);
    const surroundings = {
      HOME: join(root, 'home'),
      XDG_CONFIG_HOME: join(root, 'config'),
      CADRE_TRUST: '',
      ...env,
    };
    const io = recordedIo(cwd, { env: surroundings, stdin });
    const asked = answer && { confirm: async (question: string) => answer(question) };
    // Its code where the line fails; a command that ends otherwise sets that of the process.
    process.exitCode = 0;
    const code = (await runCommandLine(words, Object.assign(io, asked))) ?? process.exitCode;
    process.exitCode = 0;
    return { code, out: io.out, err: io.err };
  };
}

const refusal = (folder: string, programs = 'server "docs", function "look_up"') =>
  `Error: agents of ${folder} need your trust to start programs (${programs}); ` +
  `look at what they are, then run: cadre trust ${folder}\n`;

const STARTED = 'server "docs" does not answer: there is no command "./no-such-command"';

test.each([
  [['run', 'kid', '-p', 'go'], 'server "docs", function "look_up"'],
  [['run', 'top', '-p', 'go'], 'server "docs", function "look_up"'],
  [['chat', 'kid'], 'server "docs", function "look_up"'],
  [['serve', '--port', '0'], 'server "docs", function "look_up"'],
  [['mcp'], 'server "docs", function "look_up"'],
  [['mcp', 'tools', 'kid'], 'server "docs"'],
])('nothing begins in a folder that is not trusted: %j', async (words, programs) => {
  const root = await allFolders();
  expect(await userIn(root)(words, 'clone', {}, 'go\n')).toEqual({
    code: 2,
    out: '',
    err: refusal(join(root, 'clone'), programs),
  });
  expect(await readdir(join(root, 'clone'))).toEqual(['agents', 'tools']);
});

test.each([
  ['resume', 'last'],
  ['send', 'last', 'go on'],
])('nothing goes on there, and no message is left: %j', async (...words) => {
  const root = await allFolders();
  const user = userIn(root);
  const begun = await user(['run', 'kid', '-p', 'go', '--trust']);
  expect([begun.code, begun.err]).toEqual([1, expect.stringContaining(STARTED)]);
  const before = await user(['show', 'last', '--json']);
  const { code, err } = await user(words);
  expect({ code, err }).toEqual({ code: 2, err: refusal(join(root, 'clone')) });
  expect(await user(['show', 'last', '--json'])).toEqual(before);
});

test('agents that start no programs need no trust', async () => {
  const root = await allFolders();
  expect((await userIn(root)(['run', 'plain', '-p', 'go'])).code).toBe(0);
});

test.each([
  ['--trust', ['--trust'], {}],
  ['CADRE_TRUST=1', [], { CADRE_TRUST: '1' }],
])('%s trusts a folder once', async (_, options, env) => {
  const root = await allFolders();
  const user = userIn(root);
  expect((await user(['run', 'kid', '-p', 'go', ...options], 'clone', env)).err).toContain(STARTED);
  expect((await user(['run', 'kid', '-p', 'go'])).err).toBe(refusal(join(root, 'clone')));
});

test('cadre trust shows what agents may start, and keeps it where only the user reads and writes', async () => {
  const root = await allFolders();
  const user = userIn(root);
  const clone = join(root, 'clone');
  expect(await user(['trust'])).toEqual({
    code: 0,
    out:
      `trusted ${clone} with everything in it; its agents may start:\n` +
      '  server "docs": ./no-such-command --all\n  function "look_up": module tools/look-up.ts\n',
    err: '',
  });
  expect((await user(['run', 'kid', '-p', 'go'])).err).toContain(STARTED);
  const kept = join(root, 'config/cadre/trusted');
  const paths = [kept, ...(await readdir(kept)).map((name) => join(kept, name))];
  const rights = paths.map(async (path) => ((await stat(path)).mode & 0o777).toString(8));
  expect(await Promise.all(rights)).toEqual(['700', '600']);
  expect(await readdir(clone)).not.toContain('config');
  expect((await user(['trust', '--list'])).out).toBe(`${clone}\n`);
  expect((await user(['trust', '--remove'])).out).toBe(`no longer trusted: ${clone}\n`);
  expect((await user(['trust', '--list'])).out).toBe('');
  expect((await user(['run', 'kid', '-p', 'go'])).err).toBe(refusal(clone));
});

test('a folder is trusted by where it really is, and with everything in it', async () => {
  const root = await allFolders({ 'work/a/agents/kid.toml': agent('kid', SERVER) });
  const user = userIn(root);
  await symlink('clone', join(root, 'link'));
  await symlink('../clone', join(root, 'work/out'));
  const isTrusted = async (folder: string) =>
    (await user(['run', 'kid', '-p', 'go'], folder)).err.includes(STARTED);
  await user(['trust', '../link', '../work']);
  expect((await user(['trust', '--list'])).out).toBe(`${root}/clone\n${root}/work\n`);
  expect(await Promise.all(['clone', 'link', 'work/a', 'work/out'].map(isTrusted))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect((await user(['trust', '--remove', '../work/a'])).err).toBe(
    `Error: ${root}/work/a is trusted as a part of another folder; cadre trust --remove ${root}/work\n`,
  );
  await user(['trust', '--remove', '../link']);
  // Links inside of a trusted folder lead where nothing is trusted.
  expect(await Promise.all(['clone', 'link', 'work/a', 'work/out'].map(isTrusted))).toEqual([
    false,
    false,
    true,
    false,
  ]);
});

test('trust stays with the path: a folder that moves takes none along, and one that replaces it has it', async () => {
  const root = await allFolders();
  const user = userIn(root);
  await user(['trust']);
  await rename(join(root, 'clone'), join(root, 'moved'));
  expect((await user(['run', 'kid', '-p', 'go'], 'moved')).err).toBe(refusal(join(root, 'moved')));
  await rename(join(root, 'moved'), join(root, 'clone'));
  expect((await user(['run', 'kid', '-p', 'go'])).err).toContain(STARTED);
  await rename(join(root, 'clone'), join(root, 'other'));
  await cp(join(root, 'other'), join(root, 'clone'), { recursive: true });
  expect((await user(['run', 'kid', '-p', 'go'])).err).toContain(STARTED);
  await rm(join(root, 'clone'), { recursive: true });
  expect((await user(['trust', '--remove', '../clone'], 'other')).code).toBe(0);
});

test('agents of another folder need the trust in both', async () => {
  const root = await allFolders({ 'here/x': '' });
  const user = userIn(root);
  const run = async () =>
    (await user(['run', 'kid', '-p', 'go', '--agents-dir', '../clone/agents'], 'here')).err;
  const both = `${root}/here and ${root}/clone`;
  expect(await run()).toBe(
    refusal(both).replace(`cadre trust ${both}`, `cadre trust ${root}/here ${root}/clone`),
  );
  await user(['trust']);
  expect(await run()).toBe(refusal(`${root}/here`));
  await user(['trust', '.'], 'here');
  expect(await run()).toContain(STARTED);
});

test('the home with everything that is cloned into it cannot be trusted', async () => {
  const root = await tempFolder({ 'home/agents/kid.toml': agent('kid', SERVER) });
  const user = userIn(root, () => true);
  const kept = `Error: ${root}/home cannot be trusted: everything that you clone into your home would be trusted with it; trust the folders of projects, or pass --trust\n`;
  expect(await user(['trust'], 'home')).toEqual({ code: 2, out: '', err: kept });
  expect((await user(['trust', '/'], 'home')).code).toBe(2);
  const { code, err } = await user(['run', 'kid', '-p', 'go'], 'home');
  expect([code, err]).toEqual([2, expect.stringContaining('cannot be trusted as a whole: pass --trust')]);
  expect((await user(['run', 'kid', '-p', 'go', '--trust'], 'home')).err).toContain(STARTED);
});

test('a person at a terminal is asked once, and shown each command with what is hidden in it', async () => {
  const hidden = SERVER.replace('--all', 'a\\u202eb; rm -rf \\"\'\\n');
  const root = await tempFolder({
    'my clone/agents/kid.toml': agent('kid', hidden + hidden.replace('docs', 'd2')),
  });
  const questions: string[] = [];
  let says = false;
  const user = userIn(root, (question) => questions.push(question) > 0 && says);
  const run = () => user(['run', 'kid', '-p', 'go'], 'my clone');
  const clone = `${root}/my clone`;
  const refused = await run();
  expect([refused.code, refused.err]).toEqual([
    2,
    refusal(clone, 'server "docs", server "d2"').replace(/\S+\/my clone\n$/, `'${clone}'\n`),
  ]);
  says = true;
  expect((await run()).err).toContain(STARTED);
  expect((await run()).err).toContain(STARTED);
  const line = String.raw`./no-such-command $'a\U0000202eb; rm -rf "\'\n'`;
  const question = [
    `You have not trusted '${clone}' yet. Its agents would start, with your rights:`,
    `  server "docs": ${line}`,
    `  server "d2": ${line}`,
    'Trust it, with everything in it, from now on?',
  ].join('\n');
  expect(questions).toEqual([question, question]);
});

test('a program that a record of a run names is not started either', async () => {
  const cwd = await tempFolder();
  const { servers, trust, secrets } = await localSources(recordedIo(cwd, { env: { CADRE_TRUST: '' } }));
  await expect(servers.list(toolServer({ args: [] }))).rejects.toThrow(
    `agents of ${cwd} need your trust to start programs (server "docs")`,
  );
  const call = localFunctions({ root: async () => cwd, env: {}, secrets, trust });
  const called = {
    name: 'f',
    source: { file: 'f.ts' },
    arguments: {},
    seconds: 5,
    signal: new AbortController().signal,
    tell() {},
  };
  expect(await call(called)).toEqual({
    failed: expect.stringContaining(`agents of ${cwd} need your trust to start programs (function "f")`),
  });
});

test('cadre init trusts what it makes, and no folder that had anything in it', async () => {
  const root = await tempFolder({ 'cloned/agents/x.toml': agent('x', SERVER), 'new/.git/HEAD': '' });
  const user = userIn(root);
  await user(['init', 'cloned'], '.');
  await user(['init', 'new'], '.');
  await user(['init', 'newer'], '.');
  expect((await user(['trust', '--list'], '.')).out).toBe(`${root}/new\n${root}/newer\n`);
});
