import { readdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
    '.claude/agents/wide.md': agent('wide', `x: ${'a: '.repeat(cases(20_000))}\n`),
    '.claude/agents/round.md': agent('round', `skills: ${'('.repeat(cases(50_000))}\n`),
    '.claude/agents/crlf.md': agent('crlf').replaceAll('\n', '\r\n'),
    '.claude/agents/bom.md': `\uFEFF${agent('bom')}`,
  });
  expect(Object.keys(agents)).toEqual(
    ['bom', 'bomb', 'crlf', 'deep', 'round', 'wide'].map((name) => `${name}.toml`),
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

test.each(['deny', '7', '{ "*": maybe }', '{ bash: denied, edit: [] }'])(
  'permission: %s of opencode allows no command and no change',
  async (permission) => {
    const { agents } = await importHostile({
      '.opencode/agents/one.md': `---\ndescription: d\nmode: all\npermission: ${permission}\n---\nText.\n`,
    });
    expect(agents['one.toml']?.['tools'] ?? []).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(run_command|edit_file|write_file)$/)]),
    );
  },
);
