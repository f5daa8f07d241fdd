import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import project from '../../../package.json' with { type: 'json' };
import { checkAgents } from '../../../src/doors/cli/commands/check-agents.ts';
import { initProject } from '../../../src/doors/cli/commands/init.ts';
import { TEMPLATE_NAMES, TEMPLATES } from '../../../src/doors/cli/commands/project-templates.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');

test.each(TEMPLATE_NAMES)('%s begins a project whose agents are right', async (template) => {
  const io = recordedIo(await tempFolder());
  await initProject('shop', { template }, io);
  const shop = join(io.cwd, 'shop');
  // One of them searches the web, and a warning says what that needs.
  const config = await tempFolder({ 'cadre/config.toml': '[web_search]\nprovider = "model"' });
  const checked = recordedIo(shop, { env: { XDG_CONFIG_HOME: config } });
  const code = await checkAgents([], {}, checked);
  // Another isolates its commands, which not every machine can.
  expect([code, checked.err.replace(/^Warning: .*bubblewrap.*\n/gm, '')]).toEqual([0, '']);
  for (const path of io.out.trim().split('\n')) {
    const text = await readFile(join(io.cwd, path), 'utf8');
    expect(text).not.toMatch(/\{\{\w/);
    if (/\/agents\/.*\.toml$/.test(path))
      expect(text).toMatch(/^#:schema \.\.\/node_modules\/cadre\/schemas\//);
  }
});

test.each(TEMPLATE_NAMES)(
  '%s has the program that the README shows, whose types are checked',
  async (template) => {
    const io = recordedIo(await tempFolder());
    await initProject('shop', { template }, io);
    const read = (path: string) => readFile(join(io.cwd, 'shop', path), 'utf8');
    const [, shown = ''] =
      /^```ts\n([\s\S]*?)^```$/m.exec(await readFile(join(ROOT, 'README.md'), 'utf8')) ?? [];
    expect(await read('ask.ts')).toBe(shown.replace('hello', TEMPLATES[template].agent));
    expect(JSON.parse(await read('tsconfig.json'))).toMatchObject({
      include: expect.arrayContaining(['ask.ts', 'infra', 'test']),
    });
    expect(await read('infra/app.ts')).not.toContain('alidation');
  },
);

test('an example brings its own README and files, whose links lead to the installed package', async () => {
  const io = recordedIo(await tempFolder());
  await initProject('shop', { template: 'invoices' }, io);
  const read = (path: string) => readFile(join(io.cwd, 'shop', path), 'utf8');
  const readme = await readFile(join(ROOT, 'examples/invoices/README.md'), 'utf8');
  expect(readme).toContain('(../../docs/attachments.md)');
  expect(await read('README.md')).toBe(readme.replaceAll('../../docs', 'node_modules/cadre/docs'));
  expect(await read('evals/mill.pdf')).toBe(
    await readFile(join(ROOT, 'examples/invoices/evals/mill.pdf'), 'utf8'),
  );
});

test('says what to do next', async () => {
  const io = recordedIo(await tempFolder());
  await initProject('my shop', { template: 'minimal' }, io);
  expect(io.out.split('\n')).toContain('my shop/agents/hello.toml');
  expect(io.err).toBe("\nNext:\n  cd 'my shop'\n  npm install\n  npm test\n  npx cadre run hello\n");
  const { name, dependencies, devDependencies } = JSON.parse(
    await readFile(`${io.cwd}/my shop/package.json`, 'utf8'),
  );
  expect({ name, dependencies, vitest: devDependencies.vitest }).toEqual({
    name: 'my-shop',
    // This very clone, which no registry has.
    dependencies: {
      cadre: expect.stringMatching(/^file:(\.\.\/)+/),
      esbuild: `^${project.devDependencies.esbuild}`,
    },
    vitest: `^${project.devDependencies.vitest}`,
  });
});

test('says how to get into a folder, whatever it is called', async () => {
  const io = recordedIo(await tempFolder());
  await initProject("ada's $HOME", { template: 'minimal' }, io);
  expect(io.err.split('\n')[2]).toBe(String.raw`  cd 'ada'\''s $HOME'`);
});

test('leaves what is there as it is', async () => {
  const there = { 'package.json': '{"name":"mine"}', 'agents/hello.toml': 'name = "hello"', infra: 'a file' };
  const io = recordedIo(await tempFolder(there));
  await expect(initProject('.', { template: 'minimal' }, io)).rejects.toThrow(
    /failed to write .*infra\/app\.ts: /,
  );
  const other = recordedIo(
    await tempFolder({ 'package.json': '{"name":"mine"}', 'agents/hello.toml': 'x = 1' }),
  );
  await initProject('.', { template: 'minimal' }, other);
  expect(await readFile(join(other.cwd, 'package.json'), 'utf8')).toBe('{"name":"mine"}');
  expect(await readFile(join(other.cwd, 'agents/hello.toml'), 'utf8')).toBe('x = 1');
  expect(other.err).toContain(
    'Warning: package.json is there already and stays as it is\n' +
      'Warning: agents/hello.toml is there already and stays as it is\n',
  );
  expect(other.err).toContain('\nNext:\n  npm install\n');
});

test('begins with trust in a folder that was not empty, where agents start programs only then', async () => {
  const io = recordedIo(await tempFolder({ 'notes.md': '' }));
  await initProject('.', { template: 'minimal' }, io);
  expect(io.err).toBe('\nNext:\n  npm install\n  npm test\n  npx cadre trust\n  npx cadre run hello\n');
});

test('names only what a package.json that is there already lacks', async () => {
  const told = async (text: string) => {
    const io = recordedIo(await tempFolder({ 'package.json': text }));
    await initProject('.', { template: 'minimal' }, io);
    return /\nYour package.json lacks this, which the steps below need:\n([^]*)\nNext:\n/.exec(io.err)?.[1];
  };
  const io = recordedIo(await tempFolder());
  await initProject('.', { template: 'minimal' }, io);
  const { type, scripts, dependencies, devDependencies } = JSON.parse(
    await readFile(join(io.cwd, 'package.json'), 'utf8'),
  );
  const { vitest, ...others } = devDependencies;
  const there = {
    type,
    scripts: { test: 'mine' },
    dependencies: others,
    devDependencies: { esbuild: '1' },
  };
  expect(JSON.parse((await told(JSON.stringify(there))) ?? '')).toEqual({
    scripts: { check: scripts.check },
    dependencies: { cadre: dependencies.cadre },
    devDependencies: { vitest },
  });
  expect(await told(JSON.stringify({ type, scripts, dependencies, devDependencies }))).toBeUndefined();
  // What `npm init` writes is no test.
  const test = 'echo "Error: no test specified" && exit 1';
  const fresh = { type, scripts: { ...scripts, test }, dependencies, devDependencies };
  expect(JSON.parse((await told(JSON.stringify(fresh))) ?? '')).toEqual({ scripts: { test: scripts.test } });
  for (const odd of ['no JSON', '{"name":"mine"}']) {
    expect(JSON.parse((await told(odd)) ?? '')).toEqual({ type, scripts, dependencies, devDependencies });
  }
});

test.each([
  ['Shop', 'shop'],
  ['Läden & Co', 'l-den-co'],
  ['2nd', 'agents-2nd'],
  ['…', 'agents'],
])('a folder called %s becomes the package %s', async (folder, name) => {
  const io = recordedIo(await tempFolder());
  await initProject(folder, { template: 'minimal' }, io);
  expect(JSON.parse(await readFile(join(io.cwd, folder, 'package.json'), 'utf8'))).toMatchObject({ name });
});

test('agents of templates that need a machine are not deployed', async () => {
  for (const name of TEMPLATE_NAMES) {
    const local = TEMPLATES[name].localAgents;
    for (const agent of TEMPLATES[name].agents) {
      const text = await readFile(join(ROOT, 'agents', `${agent}.toml`), 'utf8');
      expect([agent, /run_command"/.test(text.replaceAll(/^deny = [\s\S]*/gm, ''))]).toEqual([
        agent,
        local.includes(agent),
      ]);
    }
  }
});
