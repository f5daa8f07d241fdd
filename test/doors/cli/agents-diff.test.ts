import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diffAgents, type AgentsDiffOptions } from '../../../src/doors/cli/commands/agents-diff.ts';
import { withEnvironment } from '../../../src/doors/cli/shared-options.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { typed } from '../../fixtures/typed.ts';

const other = (name: string) => `name = "${name}"\nmodel = "offline/extractive"\n`;

const FILES = {
  'agents/b.toml': other('b'),
  'agents/c.toml': other('c'),
  'agents/a.toml':
    'name = "a"\nmodel = "offline/extractive"\nsystem_prompt = "One.\\nTwo."\ntools = ["read_file"]\n',
};

/** A folder in which an agent ran, and its run. */
async function afterOneRun() {
  const cwd = await tempFolder(FILES);
  await typed(['run', 'a', '-p', 'It is so.'], cwd);
  const [run] = JSON.parse((await typed(['runs', '--json'], cwd)).out);
  const { run_id: id, version }: { run_id: string; version: string } = run;
  return { cwd, id, version };
}

async function diff(cwd: string, word: string, options: AgentsDiffOptions = {}) {
  const io = recordedIo(cwd);
  const code = await withEnvironment(io, {}, (environment) => diffAgents(word, environment, options, io));
  return { code, out: io.out, err: io.err };
}

test('a run whose agent is as it was has nothing to tell', async () => {
  const { cwd, id, version } = await afterOneRun();
  expect(await diff(cwd, 'last')).toEqual({
    code: 0,
    out: `run ${id} of "a": version ${version}, now ${version}\nnothing has changed\n`,
    err: '',
  });
});

test('what has changed in all that shaped a run is shown line by line, as text and as JSON', async () => {
  const { cwd, id, version } = await afterOneRun();
  await writeFile(
    join(cwd, 'agents/a.toml'),
    `name = "a"
model = "offline/extractive"
system_prompt = "One.\\n2."
tools = ["grep", "fetch_url", "run_command"]
mode = "ask"
timeout = 9
patience = "1m"
models = ["offline/extractive", "offline/other"]
allowed_hosts = ["a.example", "b.example"]
sub_agents = ["b", "c"]
[params]
temperature = 0.5
max_tokens = 7
reasoning_effort = "low"
stream = false
[output]
schema = { type = "object" }
[retry]
max_retries = 2
[memory]
enabled = true
[budget]
max_tokens = 1
max_usd = 0.5
max_turns = 2
max_tool_calls = 3
[permissions]
allow = ["grep", "fetch_url"]
ask = ["run_command(a)", "run_command(b)"]
deny = ["run_command(c)"]
[sub_agents_config]
max_depth = 2
parallel = false
timeout = 5
background = true
[context]
window = 10000
`,
  );
  const { code, out } = await diff(cwd, id);
  const { out: json } = await diff(cwd, id, { json: true });
  const { version_now: now } = JSON.parse(json);
  expect(now).not.toBe(version);
  expect(code).toBe(1);
  const shown = [id, version, now].reduce((text, each, index) => text.replace(each, `<${index}>`), out);
  await expect(shown).toMatchFileSnapshot(join(import.meta.dirname, 'accepted/agents-diff.txt'));
});

test('an agent that is gone, or changed where runs keep nothing, is told of', async () => {
  const { cwd, id, version } = await afterOneRun();
  const file = join(cwd, 'agents/a.toml');
  await writeFile(file, `${FILES['agents/a.toml']}[context]\nwindow = 0\n[memory]\nlast_n = 3\n`);
  expect((await diff(cwd, id)).out).toMatch(/\nits file has changed in a setting that runs do not keep\n$/);
  await writeFile(file, 'name = "a"\n');
  expect(await diff(cwd, id)).toMatchObject({
    code: 1,
    out: expect.stringMatching(
      new RegExp(
        `^run ${id} of "a": version ${version}, now none\nno run of it would begin now: agents/a\\.toml`,
      ),
    ),
  });
});

test('a run that is not there is not compared', async () => {
  const { cwd } = await afterOneRun();
  expect(await typed(['agents', 'diff', 'none'], cwd)).toMatchObject({
    code: 2,
    err: expect.stringContaining('run not found: none'),
  });
});
