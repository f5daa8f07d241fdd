import { readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { initConfig, printConfigPath } from '../../../src/doors/cli/commands/config.ts';
import { loadGlobalConfig } from '../../../src/authoring/config/global-config.ts';
import { ConfigError } from '../../../src/errors.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

async function stage() {
  const root = await tempFolder();
  return { root, io: recordedIo(root, { env: { XDG_CONFIG_HOME: `${root}/config` } }) };
}

describe('config', () => {
  it('path prints the folder and creates nothing', async () => {
    const { root, io } = await stage();
    printConfigPath(io);
    expect(io.out).toBe(`${root}/config/cadre\n`);
    await expect(stat(`${root}/config`)).rejects.toThrow('ENOENT');
  });

  it('init creates the folders, a sample skill, and a file for keys that only its owner may read', async () => {
    const { root, io } = await stage();
    await initConfig(io);
    const folder = `${root}/config/cadre`;
    expect(io.out).toBe(`${folder}\n`);
    expect((await stat(`${folder}/agents`)).isDirectory()).toBe(true);
    expect(await readFile(`${folder}/skills/sample/SKILL.md`, 'utf8')).toContain('name: sample');
    expect((await stat(`${folder}/config.toml`)).mode & 0o777).toBe(0o600);
    const config = await loadGlobalConfig({ env: io.env, readFile });
    expect(config.apiKey('openai')).toBeUndefined();
  });

  it('init twice changes nothing of what is there', async () => {
    const { root, io } = await stage();
    await initConfig(io);
    await writeFile(`${root}/config/cadre/config.toml`, 'mine');
    await writeFile(`${root}/config/cadre/skills/sample/SKILL.md`, 'mine');
    await initConfig(io);
    expect(await readFile(`${root}/config/cadre/config.toml`, 'utf8')).toBe('mine');
    expect(await readFile(`${root}/config/cadre/skills/sample/SKILL.md`, 'utf8')).toBe('mine');
  });

  it('init says where it cannot write', async () => {
    const root = await tempFolder({ config: 'a file' });
    const io = recordedIo(root, { env: { XDG_CONFIG_HOME: `${root}/config` } });
    await expect(initConfig(io)).rejects.toThrow(
      new ConfigError(
        `failed to create ${root}/config/cadre/agents: a part of its path is a file, not a folder`,
      ),
    );
  });
});
