import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createCommands } from '../../../src/places/local/commands.ts';
import { ownSleep, running } from '../../fixtures/running-processes.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

interface Told {
  signal?: AbortSignal;
  seconds?: number;
  tell?: (text: string) => void;
  env?: Record<string, string>;
}

async function run(command: string, { signal, seconds = 60, tell = () => {}, env = {} }: Told = {}) {
  const cwd = await tempFolder();
  const commands = createCommands({ cwd, env: { PATH: process.env['PATH'], ...env } });
  return commands.run(command, { seconds, signal: signal ?? new AbortController().signal, tell });
}

/** A signal that is aborted as soon as the command has put something out. */
function stopAtFirstWord() {
  const stop = new AbortController();
  return { signal: stop.signal, tell: () => stop.abort(new Error('stopped')) };
}

describe('a command', () => {
  test('is told with what it wrote to both streams, in order, and with its exit code', async () => {
    const command = 'for i in 1 2 3; do echo out $i; echo err $i >&2; done; exit 3';
    expect(await run(command)).toEqual({
      output: 'out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n',
      left: 0,
      exitCode: 3,
      timedOut: false,
    });
  });

  test('can open its own stdout and stderr again', async () => {
    expect(await run('echo one > /dev/stderr; echo two > /proc/self/fd/1')).toMatchObject({
      output: 'one\ntwo\n',
      exitCode: 0,
    });
  });

  test('reads nothing on stdin, and does not wait for it', async () => {
    expect(await run('cat; read line || echo nothing')).toMatchObject({ output: 'nothing\n' });
  });

  test('tells which signal ended it', async () => {
    expect(await run('kill -9 $$')).toEqual({
      output: '',
      left: 0,
      exitCode: undefined,
      killedBy: 'SIGKILL',
      timedOut: false,
    });
  });

  test('gets no variable of ours but those that are known to be harmless', async () => {
    const env = {
      HOME: '/home/x',
      LC_ALL: 'C',
      CI: 'true',
      ANTHROPIC_API_KEY: 'secret',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_PROFILE: 'secret',
      GITHUB_TOKEN: 'secret',
      CADRE_TOKEN: 'secret',
      DATABASE_URL: 'secret',
      NODE_OPTIONS: '--secret',
    };
    const result = await run('env', { env });
    const { output } = 'output' in result ? result : { output: '' };
    // What bash sets itself, and what says that a process belongs to the command.
    const own = new Set(['PWD', 'SHLVL', '_', 'OLDPWD', 'CADRE_PROCESS_TREE']);
    const names = output.split('\n').map((line) => line.split('=')[0] ?? '');
    expect(names.filter((name) => name !== '' && !own.has(name)).sort()).toEqual([
      'CI',
      'HOME',
      'LC_ALL',
      'PATH',
      'TERM',
    ]);
    expect(output).not.toContain('secret');
  });

  test('that writes more than a million characters is cut in the middle', async () => {
    const result = await run(`printf a; head -c 1000000 /dev/zero | tr '\\0' b; printf c`);
    expect(result).toEqual({
      output: `a${'b'.repeat(399_999)}\n\n[2 of 1000002 characters were not kept]\n\n${'b'.repeat(599_999)}c`,
      left: 2,
      exitCode: 0,
      timedOut: false,
    });
  });

  test('that writes for ever is ended when its time is over, with as much as can be kept', async () => {
    const told: string[] = [];
    const result = await run('echo first; yes', { seconds: 0.5, tell: (text) => told.push(text) });
    expect(result).toMatchObject({ exitCode: undefined, timedOut: true });
    const { output } = 'output' in result ? result : { output: '' };
    expect(output.length).toBeLessThan(1_001_000);
    expect(output).toMatch(/^first\ny\n/);
    expect(Math.max(...told.map((text) => text.length))).toBeLessThanOrEqual(4_000);
  });

  test('is told of as it goes', async () => {
    const told: string[] = [];
    const stop = new AbortController();
    const tell = (text: string) => {
      told.push(text);
      stop.abort(new Error('stopped'));
    };
    await expect(run('echo ready; sleep 60', { signal: stop.signal, tell })).rejects.toThrow('stopped');
    expect(told).toEqual(['ready\n']);
  });

  test('is refused in words where there is no bash', async () => {
    const env = { PATH: await tempFolder() };
    expect(await run('true', { env })).toEqual({
      refused: 'there is no bash on this machine, or the workdir does not exist',
    });
  });
});

describe('nothing is left of a command', () => {
  test.each<[string, (seconds: string) => string]>([
    ['that waits', (seconds) => `echo ready; sleep ${seconds}`],
    ['that ignores SIGTERM', (seconds) => `trap '' TERM; echo ready; while true; do sleep ${seconds}; done`],
    ['that forks away', (seconds) => `sleep ${seconds} & disown; echo ready; sleep ${seconds}`],
    ['that leaves its session', (seconds) => `setsid -f sleep ${seconds}; echo ready; sleep ${seconds}`],
    [
      'that does all of this',
      (seconds) =>
        `setsid -f bash -c "trap '' TERM; sleep ${seconds}; sleep ${seconds}"; echo ready; sleep 99`,
    ],
  ])('%s, once it is stopped', async (_, command) => {
    const seconds = ownSleep();
    const { signal, tell } = stopAtFirstWord();
    await expect(run(command(seconds), { signal, tell })).rejects.toThrow('stopped');
    expect(running(seconds)).toEqual([]);
  });

  test('that has ended itself', async () => {
    const seconds = ownSleep();
    const command = `sleep ${seconds} & setsid -f sleep ${seconds}; echo done`;
    expect(await run(command)).toEqual({ output: 'done\n', left: 0, exitCode: 0, timedOut: false });
    expect(running(seconds)).toEqual([]);
  });

  test('when the process that runs it ends, be it in the middle of anything', async () => {
    const seconds = ownSleep();
    const script = `
      import { createCommands } from ${JSON.stringify(join(import.meta.dirname, '../../../src/places/local/commands.ts'))};
      const tell = () => process.exit(0);
      const command = "trap '' TERM; setsid -f sleep ${seconds}; echo ready; sleep ${seconds}";
      void createCommands({ cwd: '/', env: process.env }).run(command, {
        seconds: 60, signal: new AbortController().signal, tell,
      });`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: 'inherit',
    });
    expect(await once(child, 'exit')).toEqual([0, null]);
    await expect.poll(() => running(seconds)).toEqual([]);
  });
});
