import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { typed } from '../../fixtures/typed.ts';

/** What stands where a file should be: reading it would wait for ever, never end, or fail. */
const ODD = {
  'a pipe': (path: string) => void execFileSync('mkfifo', [path]),
  'a device': (path: string) => symlinkSync('/dev/zero', path),
  'a folder': (path: string) => mkdirSync(path),
};

const RUN = ['run', 'top', '-p', 'go'];
const top = (keys: string, model = 'offline/extractive') => ({
  'agents/top.toml': `name = "top"\nmodel = "${model}"\n${keys}\n`,
});
const module = '[[functions]]\nname = "f"\ndescription = "x"\nfile = "odd"';

/** Command lines that open a file, that file, what they say then, and the other files that they find. */
const COMMANDS: [words: string[], path: string, says: string, files?: Record<string, string>][] = [
  [['test', 'odd'], 'odd', 'Error: cannot read odd: '],
  [['states', 'replay', 'odd'], 'odd', 'Error: cannot read odd: '],
  [['states', 'replay', 'x', '--definition', 'odd'], 'odd', 'Error: cannot read odd: ', { x: '{}' }],
  [['record', 'last', 'odd', '--force'], 'odd', 'Error: cannot write odd: ', top('')],
  [RUN, 'agents/top.toml', 'Error: failed to read agent config "top": agents/top.toml: '],
  [RUN, 'odd', 'Error: failed to read skill ', top('skill = "./odd"')],
  [RUN, 'odd', 'Error: agents/top.toml:4:10: ', top('[output]\nschema = "odd"')],
  [RUN, 'odd', 'Error: failed to read script "odd": ', top('', 'scripted/odd')],
  [RUN, 'no-config/cadre/config.toml', 'Error: failed to read config ', top('')],
  [[...RUN, '--skill', './odd'], 'odd', 'Error: failed to read skill ', top('')],
  [[...RUN, '--workdir', 'odd/x'], 'odd', 'odd/x', top('')],
  [
    [...RUN, '--dry-run'],
    '.cadre/store/store.mdb',
    '.cadre/store/store.mdb is ',
    top('memory = { enabled = true }'),
  ],
  [['agents', 'check'], 'odd', 'Error: agents/top.toml:6:8: module odd ', top(module)],
  [
    ['agents', 'show', 'top'],
    'agents/top.toml',
    'Error: failed to read agent config "top": agents/top.toml: ',
  ],
  [['import', 'odd'], 'odd', 'Error: no agent of another tool in "odd"'],
  [
    ['import', 'x.md', '--from', 'claude', '--force'],
    'agents/x.toml',
    'agents/x.toml: it is there already, and is not a regular file',
    { 'x.md': '---\nname: x\ndescription: x\n---\nYou are x.\n' },
  ],
  [['skills', 'show', 'odd'], 'skills/odd/SKILL.md', 'Error: failed to read skill '],
  [['init'], 'package.json', 'Error: failed to read package.json: '],
];

test.each(
  Object.entries(ODD).flatMap(([kind, make]) =>
    COMMANDS.map(([words, path, says, files]) => ({
      line: words.join(' '),
      kind,
      make,
      words,
      path,
      says,
      files,
    })),
  ),
)('cadre $line says at once that it finds $kind at $path', async ({ make, words, path, says, files }) => {
  const cwd = await tempFolder(files);
  if (words[0] === 'record') await typed(RUN, cwd);
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  make(join(cwd, path));
  expect((await typed(words, cwd)).err).toContain(says);
});

test('cadre import writes through no link that leads nowhere yet', async () => {
  const claude = '---\nname: x\ndescription: x\n---\nYou are x.\n';
  const outside = await tempFolder();
  const cwd = await tempFolder({
    '.claude/agents/x.md': claude,
    'agents/x.toml': { linkTo: join(outside, 'x') },
  });
  const { code, err } = await typed(['import', '.'], cwd);
  expect([code, err]).toEqual([
    2,
    expect.stringContaining('agents/x.toml: it is there already, and is not a regular file'),
  ]);
  expect(readdirSync(outside)).toEqual([]);
});

test('a folder that cannot be made is not told as one that is missing', async () => {
  const cwd = await tempFolder({ app: { linkTo: 'nowhere' } });
  expect((await typed(['init', 'app'], cwd)).err).toBe(
    `Error: failed to write ${cwd}/app/package.json: a folder cannot be made there: the disk is read-only, or a link leads nowhere
`,
  );
});

test('links that lead round in a circle are told as such, and are no agents', async () => {
  const cwd = await tempFolder({
    ...top(''),
    loop: { linkTo: 'loop' },
    'evals/e.toml': 'agent = "top"\n[[cases]]\nname = "a"\nprompt = "go"\n',
    'other/.claude/agents/x.md': '---\nname: x\ndescription: x\n---\nYou are x.\n',
    'other/.claude/agents/y.md': { linkTo: 'y.md' },
  });
  await typed(RUN, cwd);
  const circle = 'its links lead round in a circle\n';
  expect([
    await typed(['trust', 'loop'], cwd),
    await typed(['record', 'last', 'loop/x', '--force'], cwd),
    await typed(['eval', 'evals/e.toml', '--junit', 'loop/x'], cwd),
    await typed(['eval', 'add', 'last', 'loop/x'], cwd),
  ]).toEqual([
    { code: 2, out: '', err: `Error: no such folder: ${cwd}/loop\n` },
    { code: 2, out: '', err: `Error: cannot write loop/x: ${circle}` },
    { code: 2, out: '', err: `Error: cannot write loop/x: ${circle}` },
    { code: 2, out: '', err: `Error: cannot add to loop/x: ${circle}` },
  ]);
  expect(await typed(['import', 'other'], cwd)).toMatchObject({ code: 0, out: 'agents/x.toml\n' });
});
