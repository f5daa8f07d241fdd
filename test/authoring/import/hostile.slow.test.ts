import { readdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import assert from 'node:assert';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toolsNamed } from '../../../src/core/agent-schema/tool-names.ts';
import { claude } from '../../../src/authoring/import/claude.ts';
import { copilot } from '../../../src/authoring/import/copilot.ts';
import { gemini } from '../../../src/authoring/import/gemini.ts';
import { importAgents } from '../../../src/authoring/import/import-agents.ts';
import { opencode } from '../../../src/authoring/import/opencode.ts';
import type { Project } from '../../../src/authoring/import/project.ts';
import { importFrom } from '../../../src/doors/cli/commands/import.ts';
import { parse } from 'smol-toml';
import { cases } from '../../fixtures/cases.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const SECRET = 'a secret of the user';

/** Imports a hostile project. @returns the agents in it, by file */
async function importHostile(files: Record<string, string>, links: Record<string, string> = {}) {
  const above = await realpath(await tempFolder({ secret: SECRET, ...prefixed('project/', files) }));
  for (const [link, to] of Object.entries(links)) await symlink(to, join(above, 'project', link));
  const io = recordedIo(join(above, 'project'));
  await importFrom('.', { agentsDir: 'out/agents' }, io);
  expect((await readdir(above)).sort()).toEqual(['project', 'secret']);
  const folder = join(io.cwd, 'out/agents');
  const names = (await readdir(folder)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  for (const text of texts) expect(text).not.toContain(SECRET);
  return { agents: Object.fromEntries(names.map((name, index) => [name, parse(texts[index] ?? '')])), io };
}

function prefixed(prefix: string, files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [prefix + path, text]));
}

const agent = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: d\ntools: Read\n${more}---\nText.\n`;

test('names that lead elsewhere become names of files', async () => {
  const { agents } = await importHostile({
    '.claude/agents/a.md': agent('../../../secret'),
    '.claude/agents/b.md': agent('/etc/passwd'),
    '.claude/agents/c.md': agent('"a\\0b\\e[31m"'),
    '.claude/agents/d.md': agent('__proto__', '__proto__: { polluted: 1 }\nconstructor: x\n'),
    '.claude/agents/e.md': agent('代码审查'),
    '.claude/agents/f.md': agent('Überprüfer 🤖'),
    '.claude/agents/g.md': agent('x'.repeat(5000)),
  });
  expect(Object.keys(agents)).toEqual([
    'a-b-31m.toml',
    'e.toml',
    'etc-passwd.toml',
    'proto.toml',
    'secret.toml',
    'uberprufer.toml',
    `${'x'.repeat(64)}.toml`,
  ]);
  expect({}).not.toHaveProperty('polluted');
});

test('links that lead out of the project are not followed', async () => {
  const { agents, io } = await importHostile(
    {
      '.github/agents/mine.agent.md': agent('mine'),
      '.opencode/agents/reader.md': '---\ndescription: d\nmode: all\nprompt: "{file:./prompt.txt}"\n---\n',
      '.opencode/agents/climber.md':
        '---\ndescription: d\nmode: all\nprompt: "{file:../../../secret}"\n---\n',
      '.github/skills/own/SKILL.md': '---\nname: own\ndescription: d\n---\nText.\n',
    },
    {
      '.github/agents/yours.agent.md': '../../../secret',
      '.github/agents/loop': '.',
      '.github/agents/same.agent.md': 'mine.agent.md',
      '.opencode/agents/prompt.txt': '../../../secret',
      '.github/skills/own/data': '../../../../secret',
    },
  );
  expect(Object.keys(agents)).toEqual(['climber.toml', 'mine-2.toml', 'mine.toml', 'reader.toml']);
  expect(await readdir(join(io.cwd, 'out/skills/own'))).toEqual(['SKILL.md']);
  const left = (path: string) => `Warning: ${path}: a link that leads out of the project, left out\n`;
  expect(io.err).toContain(left('.github/agents/yours.agent.md'));
  expect(io.err).toContain(left('.opencode/agents/prompt.txt'));
});

test('front matter that is made to choke a parser is read in no time, or left alone', async () => {
  const list = (name: string, before: string) => `${name}: &${name} [${Array(9).fill(before).join(', ')}]\n`;
  const bomb = ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].reduce(
    (text, name, index) => text + list(name, `*${'abcdefghi'[index]}`),
    list('a', 'x'),
  );
  const { agents } = await importHostile({
    '.claude/agents/bomb.md': agent('bomb', bomb),
    '.claude/agents/deep.md': agent('deep', `x: ${'['.repeat(cases(20_000))}${']'.repeat(cases(20_000))}\n`),
    // As deep as had the parser end the process.
    '.claude/agents/deepest.md': agent('deepest', `x: ${'['.repeat(40_000)}${']'.repeat(40_000)}\n`),
    '.claude/agents/wide.md': agent('wide', `x: ${'a: '.repeat(cases(20_000))}\n`),
    '.claude/agents/round.md': agent('round', `skills: ${'('.repeat(cases(50_000))}\n`),
    '.claude/agents/crlf.md': agent('crlf').replaceAll('\n', '\r\n'),
    '.claude/agents/bom.md': `\uFEFF${agent('bom')}`,
  });
  expect(Object.keys(agents)).toEqual(
    ['bom', 'bomb', 'crlf', 'deep', 'deepest', 'round', 'wide'].map((name) => `${name}.toml`),
  );
  for (const each of Object.values(agents)) expect(each).toMatchObject({ tools: ['read_file'] });
});

test('a file that is larger than any agent is refused', async () => {
  const folder = await tempFolder({ '.claude/agents/a.md': agent('a') });
  await writeFile(join(folder, '.claude/agents/b.md'), agent('b') + 'x'.repeat(20_000_000));
  const io = recordedIo(folder);
  await expect(importFrom('.', { agentsDir: 'out' }, io)).rejects.toThrow(/b\.md/);
  await expect(readdir(join(folder, 'out'))).rejects.toThrow('ENOENT');
});

test.each([
  ['!Write, -Bash, ^Edit, Foo(bar), Read', ['read_file']],
  ['Bash(*)', ['run_command']],
  ['mcp__*, WebFetch(domain:*), Read', ['read_file']],
  ['"Read, Bash(git:*) Glob"', ['glob', 'read_file', 'run_command']],
  ['{ Read: true, Bash: false }', undefined],
  ['[Read, 7]', undefined],
  ['7', undefined],
  ['~', undefined],
  ['""', undefined],
])('tools: %s give nothing that was not named', async (tools, expected) => {
  const text = agent('one').replace('tools: Read', `tools: ${tools}`);
  const { agents } = await importHostile({ '.claude/agents/one.md': text });
  const { tools: given, mode = 'auto' } = agents['one.toml'] ?? {};
  expect(given).toEqual(expected);
  if (expected?.includes('run_command') === true) expect(mode).toBe('ask');
});

test.each([
  ['permission', 'deny', []],
  ['permission', '[7]', []],
  ['permission', '{ "*": { "*": [maybe] } }', []],
  ['permission', '{ edit: maybe, bash: 7 }', ['files:read']],
  ['permission', '{ bash: denied, edit: [] }', []],
  ['permission', '{ bash: { allow: [ls], deny: ["*"] } }', []],
  ['permissions', 'deny', []],
  ['permissions', '["edit: deny"]', []],
  ['permissions', '[{ action: edit }]', []],
  ['permissions', '[{ action: edit, effect: forbid }, { action: shell, effect: never }]', ['files:read']],
  ['permissions', '{ allow: [Read], deny: [Bash] }', []],
  ['permissions', '{ edit: deny, bash: { "*": deny } }', ['files:read']],
  ['permissions', '{ write: deny, shell: deny }', ['files:read']],
  ['permissions', '{ write: allow, edit: deny, shell: deny }', ['files:read']],
  ['tools', 'read', ['read_file']],
  ['tools', '7', []],
])('%s: %s of opencode gives no more than it says', async (key, value, expected) => {
  const { agents, io } = await importHostile({
    '.opencode/agents/one.md': `---\ndescription: d\nmode: all\n${key}: ${value}\n---\nText.\n`,
  });
  expect(agents['one.toml']?.['tools'] ?? []).toEqual(expected);
  const refusal = `.opencode/agents/one.md:4: cannot be read, so no tool is given: ${key}`;
  expect(io.err.includes(refusal)).toBe(expected.length === 0 && value !== 'deny');
});

test.each(['"strict"', '"Read-Only"', '7', '["read-only"]', '{ mode = "danger-full-access" }'])(
  'a sandbox %s of Codex, which cannot be read, lets an agent change nothing by itself',
  async (value) => {
    const agent = `developer_instructions = "T"\nsandbox_mode = ${value}\napproval_policy = ${value}\n`;
    const { agents, io } = await importHostile({ '.codex/agents/one.toml': agent });
    const { tools, mode } = agents['one.toml'] ?? {};
    expect({ tools, mode }).toEqual({
      tools: ['files:read', 'run_command'],
      mode: 'ask',
    });
    expect(io.err).toContain(
      '.codex/agents/one.toml:2: cannot be read, so it counts as "read-only": sandbox_mode',
    );
    expect(io.err).toContain(
      '.codex/agents/one.toml:3: cannot be read, so it counts as "untrusted": approval_policy',
    );
  },
);

/** Permissions of any shape, most of them nearly right. */
const permissions = fc.letrec((tie) => ({
  word: fc.constantFrom('allow', 'ask', 'deny', 'denied', 'Deny', '', 'read', 'https://x.example/*'),
  name: fc.constantFrom('*', 'bash', 'edit', 'write', 'read', 'webfetch', 'git *', 'allow', 'shell'),
  leaf: fc.oneof(tie('word'), fc.constantFrom(true, false, null, 0, 7)),
  value: fc.oneof(
    { depthSize: 'small' },
    tie('leaf'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom('*', 'bash', 'edit', 'write', 'patch', 'read', 'webfetch', 'shell', 'x'),
      tie('value'),
      {
        maxKeys: 4,
      },
    ),
    fc.record({ action: tie('name'), effect: tie('leaf'), resource: tie('name') }, { requiredKeys: [] }),
  ),
})).value;

test('no value of a permission key, of any shape, gives an agent more tools than it has without the key', async () => {
  const KEYS: readonly (readonly [key: string, text: (front: string) => Record<string, string>])[] = [
    ...['permission', 'permissions', 'tools'].map((key) => [key, opencodeAgent] as const),
    ...['disallowedTools', 'permissionMode', 'tools', 'permissions'].map(
      (key) => [key, claudeAgent] as const,
    ),
    ['tools', copilotAgent],
    ...['tools', 'excludeTools'].map((key) => [key, geminiAgent] as const),
  ];
  const without = new Map<unknown, Set<string>>();
  for (const [, text] of KEYS) without.set(text, await toolsOf(text('')));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...KEYS), permissions, async ([key, text], value) => {
      const given = await toolsOf(text(`${key}: ${JSON.stringify(value)}\n`));
      // Pages and questions are everybody's there, and have to be named here.
      const more = [...given].filter((tool) => !/^(fetch_url|ask_user)$/.test(tool));
      expect([...(without.get(text) ?? [])]).toEqual(expect.arrayContaining(more));
    }),
    { numRuns: cases(500) },
  );
});

const opencodeAgent = (front: string) => ({ '.opencode/agents/a.md': `---\nmode: all\n${front}---\nT\n` });
const claudeAgent = (front: string) => ({ '.claude/agents/a.md': `---\nname: a\n${front}---\nT\n` });
const copilotAgent = (front: string) => ({ '.github/agents/a.agent.md': `---\nname: a\n${front}---\nT\n` });
const geminiAgent = (front: string) => ({ '.gemini/agents/a.md': `---\nname: a\n${front}---\nT\n` });

/** The tools of Cadre that the only agent of a project gets, each by its own name. */
async function toolsOf(files: Record<string, string>): Promise<Set<string>> {
  const [path = ''] = Object.keys(files);
  const format = [claude, copilot, gemini, opencode].find((each) =>
    each.agents.some((glob) => glob.startsWith(path.slice(0, 5))),
  );
  assert(format !== undefined);
  const project: Project = { read: (name) => files[name], outside: new Set() };
  const { agents } = await importAgents(project, [{ format, paths: [path] }]);
  const { tools = [] } = parse(agents[0]?.toml ?? '');
  assert(Array.isArray(tools));
  return new Set(toolsNamed(tools.map(String)));
}
