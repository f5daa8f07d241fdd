import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { resume } from '../../../src/doors/cli/commands/resume.ts';
import { runAgent, type RunCommandOptions } from '../../../src/doors/cli/commands/run.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { typedServer } from '../../fixtures/typed.ts';

const LEADS_OUT =
  ' leads out of the project, to "/etc"; where that is meant, name its folder in folders under [trust] in ';
const agent = (name: string, keys = '') => `name = "${name}"\nmodel = "offline/extractive"\n${keys}\n`;
const project = {
  'agents/top.toml': agent('top', 'workdir = "/etc"\nsub_agents = ["kid"]'),
  'agents/kid.toml': agent('kid', 'workdir = "/etc"'),
};

async function run(cwd: string, options: RunCommandOptions, env: Record<string, string> = {}) {
  const io = recordedIo(cwd, { env });
  await runAgent('top', { prompt: 'Water boils at 100 degrees.', ...options }, io);
  return io.err.split('\n').filter((line) => line.startsWith('Warning: '));
}

test('a run names what its agents are shown from outside of the project, with what it would send or sends', async () => {
  const cwd = await tempFolder(project);
  const lines = [
    `Warning: agents/top.toml:3:11: workdir "/etc"${LEADS_OUT}${cwd}/no-config/cadre/config.toml`,
    `Warning: agents/kid.toml:3:11: workdir "/etc"${LEADS_OUT}${cwd}/no-config/cadre/config.toml`,
  ];
  expect(await run(cwd, { dryRun: true })).toEqual(lines);
  expect(await run(cwd, {})).toEqual(lines);
  const printed = recordedIo(cwd);
  await resume('last', {}, printed);
  expect(printed.err).not.toContain('Warning: ');
  await run(cwd, { model: 'scripted/gone.json' });
  const resumed = recordedIo(cwd);
  await resume('last', {}, resumed);
  expect(resumed.err).toContain(lines.join('\n'));
});

test('a run says nothing of what its caller chose, or the user trusts', async () => {
  const cwd = await tempFolder({ ...project, 'user/cadre/config.toml': '[trust]\nfolders = ["/etc"]\n' });
  expect(await run(cwd, { dryRun: true, workdir: '/' })).toEqual([
    expect.stringContaining('agents/kid.toml:3:11: workdir "/etc" leads out'),
  ]);
  expect(await run(cwd, {}, { XDG_CONFIG_HOME: `${cwd}/user` })).toEqual([]);
});

test('serve refuses agents that lead out of the project, its callers and its schedules', async () => {
  const cwd = await tempFolder({
    'agents/top.toml': agent('top', 'workdir = "/etc"\n[schedule]\nrate = "1 minute"'),
    'agents/ok.toml': agent('ok'),
  });
  const served = await typedServer(['serve', '--port', '0'], cwd);
  await expect
    .poll(() => served.err)
    .toContain('Warning: agents/top.toml: it leads out of its project, which is not allowed here\n');
  expect(served.err).toContain(`Warning: agents/top.toml:3:11: workdir "/etc"${LEADS_OUT}`);
  const ask = (name: string) =>
    fetch(`${served.url}/agents/${name}/runs?wait=5`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"prompt":"go"}',
    });
  const refused = await ask('top');
  expect([refused.status, await refused.json()]).toMatchObject([
    422,
    { detail: 'top.toml: it leads out of its project, which is not allowed here' },
  ]);
  expect((await ask('ok')).status).toBe(200);
});

test('a run that was recorded with a folder outside does not go on there for callers, whatever its agent says now', async () => {
  const cwd = await tempFolder(project);
  await run(cwd, {});
  await writeFile(join(cwd, 'agents/top.toml'), agent('top'));
  const served = await typedServer(['serve', '--port', '0'], cwd);
  const listed: unknown = await (await fetch(`${served.url}/runs`)).json();
  const { runs } = v.parse(v.object({ runs: v.array(v.object({ run_id: v.string() })) }), listed);
  const id = runs[0]?.run_id ?? '';
  await fetch(`${served.url}/runs/${id}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"text":"And at 50?"}',
  });
  await expect
    .poll(async () => (await fetch(`${served.url}/runs/${id}`)).json())
    .toMatchObject({
      status: 'failed',
      error: 'the workdir "/etc" of this run leads out of the project, which is not allowed here',
    });
});
