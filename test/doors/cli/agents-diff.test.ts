import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diffAgents, type AgentsDiffOptions } from '../../../src/doors/cli/commands/agents-diff.ts';
import { withEnvironment } from '../../../src/doors/cli/shared-options.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { typed } from '../../fixtures/typed.ts';

const FILES = {
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
    'name = "a"\nmodel = "offline/extractive"\nsystem_prompt = "One.\\n2."\ntools = ["grep"]\ntimeout = 9\n',
  );
  const { code, out } = await diff(cwd, id);
  const { out: json } = await diff(cwd, id, { json: true });
  const { version_now: now } = JSON.parse(json);
  expect(now).not.toBe(version);
  expect({ code, out }).toEqual({
    code: 1,
    out: `run ${id} of "a": version ${version}, now ${now}

prompt
--- recorded
+++ now
@@ -1,2 +1,2 @@
 One.
-Two.
+2.

tool read_file: removed

tool grep: added

setting timeout: (none) → 9
`,
  });
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
