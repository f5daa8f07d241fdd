import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sealed } from '../../../src/places/local/sealed-paths.ts';
import type { DecidingFiles } from '../../../src/core/agent-schema/agent-source.ts';
import { ConfigError } from '../../../src/errors.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const emptied = (folder: string) => ['--tmpfs', folder, '--remount-ro', folder];
const fixed = (path: string) => ['--ro-bind', path, path];
const bound = (folder: string) => ['--bind', folder, folder];

async function project(...folders: string[]) {
  const workdir = await realpath(await tempFolder());
  for (const folder of folders) await mkdir(join(workdir, folder), { recursive: true });
  return { workdir, at: (path: string) => join(workdir, path) };
}
const deciding = (more: Partial<DecidingFiles>): DecidingFiles => ({
  folders: [],
  modules: [],
  skills: [],
  config: '/elsewhere/config/config.toml',
  program: '/elsewhere/bin/cadre.js',
  ...more,
});

test('what decides about agents cannot be changed, and the store and the configuration not be read', async () => {
  const { workdir, at } = await project(
    'agents',
    '.cadre/store',
    'lib/hooks',
    '.git',
    'conf',
    'skills/style',
  );
  await writeFile(at('lib/hooks/h.ts'), '');
  await writeFile(at('lib/hooks/other.ts'), '');
  const options = {
    workdir,
    store: at('.cadre/store'),
    deciding: deciding({
      folders: [at('agents'), '/elsewhere/agents'],
      modules: [at('lib/hooks/h.ts'), at('lib/hooks/other.ts'), at('lib/missing.ts')],
      skills: [at('skills/style')],
      config: at('conf/config.toml'),
      program: at('cadre.js'),
    }),
  };
  expect(sealed(workdir, options)).toEqual([
    ...emptied(at('.cadre')),
    ...fixed(at('.git')),
    ...fixed(at('agents')),
    ...emptied(at('conf')),
    ...bound(at('lib')),
    ...bound(at('lib/hooks')),
    ...fixed(at('lib/hooks/h.ts')),
    ...fixed(at('lib/hooks/other.ts')),
    ...bound(at('skills')),
    ...fixed(at('skills/style')),
  ]);
});

test('what is not there is made where it would decide, so that no command makes it', async () => {
  const { workdir, at } = await project();
  expect(sealed(workdir, { workdir, store: '/elsewhere/store' })).toEqual([...emptied(at('.git'))]);
  expect(
    sealed(workdir, { workdir, store: '/elsewhere', deciding: deciding({ folders: [at('a/agents')] }) }),
  ).toEqual([...emptied(at('.git')), ...emptied(at('a/agents'))]);
});

test('a workdir behind a link is sealed where it is', async () => {
  const { at } = await project('real/agents');
  await symlink(at('real'), at('link'));
  const real = at('real');
  const options = {
    workdir: at('link'),
    store: at('link/.cadre'),
    deciding: deciding({ folders: [at('link/agents')] }),
  };
  expect(sealed(real, options)).toEqual([...emptied(at('real/.git')), ...fixed(at('real/agents'))]);
});

test('a folder that commands could replace is refused', async () => {
  const { workdir, at } = await project('real', 'agents');
  await symlink(at('real'), at('link'));
  const no = `commands cannot be isolated in ${workdir}: `;
  const refused = (folder: string) => () =>
    sealed(workdir, { workdir, store: '/elsewhere', deciding: deciding({ folders: [folder] }) });
  expect(refused(workdir)).toThrow(
    new ConfigError(`${no}it is a folder of agents, which none may change. Move them into agents/`),
  );
  for (const folder of [at('link'), at('link/agents')]) {
    expect(refused(folder)).toThrow(
      new ConfigError(
        `${no}${at('link')} is a link, which a command could replace. Put in its place what it leads to`,
      ),
    );
  }
});
