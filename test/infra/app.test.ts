import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { loadDeployedAgents } from '../../infra/deployed-agents.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';

test('an unknown environment is refused in one line, without a stack trace', async () => {
  const project = join(import.meta.dirname, '../..');
  const context = JSON.stringify({ env: 'xyz', environments: { dev: {}, prod: {} } });
  const app = promisify(execFile)(process.execPath, ['--import', 'tsx', 'infra/app.ts'], {
    cwd: project,
    env: { ...process.env, CDK_CONTEXT_JSON: context },
  });
  await expect(app).rejects.toMatchObject({
    code: 1,
    stderr: 'Error: unknown environment "xyz": cdk.json knows dev, prod\n',
  });
});

test('agents that cannot be loaded are told of with file, line and column, all of them', async () => {
  const folder = await tempFolder({
    'agents/fine.toml': 'name = "fine"\nmodel = "offline/extractive"\n',
    'agents/broken.toml': 'name = "broken"\nmodel = \n',
    'agents/wrong.toml': 'name = "wrong"\nmodel = "offline/extractive"\ntimeout = "long"\n',
  });
  await expect(loadDeployedAgents(folder)).rejects.toMatchObject({
    name: 'ConfigError',
    message: [
      'failed to parse agent config "broken": agents/broken.toml:2:9: expected a value after "="',
      'failed to parse agent config "wrong": agents/wrong.toml:3:11: timeout must be an integer, got "long"',
    ].join('\n'),
  });
});

test('agents that can be loaded are given by the names that they run as', async () => {
  const folder = await tempFolder({
    'agents/one.toml': 'name = "one"\nmodel = "offline/extractive"\n',
    'agents/two.toml': 'name = "other"\nmodel = "offline/extractive"\ncolour = "red"\n',
  });
  const agents = await loadDeployedAgents(folder);
  expect([...agents].map(([name, { warnings }]) => [name, warnings.length])).toEqual([
    ['one', 0],
    ['two', 2],
  ]);
});
