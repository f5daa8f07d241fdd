import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCommand } from '../../fixtures/command.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

/** A run that waits for the file `go`, and then for a minute while its answer is written. */
async function runningFor(text: string) {
  const wait = {
    name: 'run_command',
    arguments: { command: 'until [ -e go ]; do sleep 0.05; done', timeout: 60 },
  };
  const cwd = await tempFolder({
    'agents/top.toml': 'name = "top"\nmodel = "scripted/s.json"\ntools = ["run_command"]\n',
    's.json': JSON.stringify({ conversations: [{ turns: [{ calls: [wait] }, { text, delay_ms: 60_000 }] }] }),
  });
  const running = startCommand(['run', 'top', '-p', 'go', '-v'], cwd);
  await running.says('[tool] run_command');
  return {
    running,
    goOn: () => writeFile(join(cwd, 'go'), ''),
    watching: startCommand(['watch', 'last', '--json'], cwd),
  };
}

test('another process sees the words of an answer while they are written', async () => {
  const text = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ');
  const { running, goOn, watching } = await runningFor(text);
  await watching.prints('TOOL_CALL_END');
  await goOn();
  await watching.prints('"delta":"word0 ');
  running.process.kill('SIGINT');
  const { out } = await watching.ended();
  const events = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.slice(-3)).toMatchObject([
    { type: 'TEXT_MESSAGE_END' },
    { type: 'STEP_FINISHED', stepName: 'turn 2' },
    { type: 'RUN_FINISHED', outcome: { type: 'cancelled' } },
  ]);
});

test('watching ends with its reader, and the run goes on', { timeout: 30_000 }, async () => {
  const { running, goOn, watching } = await runningFor('done');
  await watching.prints('TOOL_CALL_END');
  watching.process.stdout?.destroy();
  await goOn();
  expect(await watching.ended()).toMatchObject({
    code: 0,
    err: expect.stringMatching(/^run "top-\w+" is running\n$/),
  });
  expect(running.process.exitCode).toBeNull();
});
