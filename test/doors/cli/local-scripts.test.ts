import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { localSources } from '../../../src/authoring/loading/local-sources.ts';
import { ask, running } from '../../providers/requests.ts';

const SCRIPT = '{"conversations": [{"turns": [{"text": "Hello."}]}]}';

/** A folder with scripts, a link out of it, a pipe and a file that is too large. */
async function project() {
  const root = await mkdtemp(join(tmpdir(), 'cadre-scripts-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const cwd = join(root, 'project');
  await mkdir(cwd);
  await writeFile(join(root, 'outside.json'), SCRIPT);
  await writeFile(join(cwd, 'inside.json'), SCRIPT);
  await writeFile(join(cwd, 'large.json'), ' '.repeat(1_000_001));
  await symlink('inside.json', join(cwd, 'link.json'));
  await symlink('../outside.json', join(cwd, 'out.json'));
  execFileSync('mkfifo', [join(cwd, 'pipe.json')]);
  const { models } = await localSources({
    cwd,
    env: { XDG_CONFIG_HOME: join(root, 'no-config') },
  });
  return async (path: string) => {
    const { model, name } = await models.open(`scripted/${path}`);
    return model.send(ask('Hi', { model: name }), running);
  };
}

test('a script is a regular file of the project, or a link to one', async () => {
  const play = await project();
  expect((await play('inside.json')).text).toBe('Hello.');
  expect((await play('link.json')).text).toBe('Hello.');
  for (const path of ['out.json', 'pipe.json', 'nothing.json', '.']) {
    await expect(play(path)).rejects.toMatchObject({
      name: 'ConfigError',
      message: `failed to read script "${path}": the project contains no such readable file`,
    });
  }
  await expect(play('large.json')).rejects.toThrow(
    'failed to read script "large.json": it is too large: at most 1000000 bytes are allowed',
  );
});
