import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { startProcessTree } from '../../../src/tools/reach/process-tree.ts';
import { ownSleep, running } from '../../fixtures/running-processes.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';

const MODULE = JSON.stringify(join(import.meta.dirname, '../../../src/tools/reach/process-tree.ts'));

/** A process that starts trees, each with bash and a script, says so, and goes on for as long as they do. */
function starter(scripts: readonly string[], env: NodeJS.ProcessEnv = {}, arrange = '') {
  const program = `
    import { once } from 'node:events';
    import { startProcessTree } from ${MODULE};
    const options = { cwd: '/', env: { PATH: process.env.PATH }, stdio: ['ignore', 'inherit', 'inherit'] };
    const start = (script) => {
      startProcessTree('bash', ['-c', script], options);
      console.log('started');
    };
    ${arrange}
    ${JSON.stringify(scripts)}.forEach(start);`;
  const started = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], ...env },
  });
  onTestFinished(() => void started.kill('SIGKILL'));
  return started;
}

/** Waits until it and its tree have put out a word each. */
async function bothSaid({ stdout }: ReturnType<typeof starter>): Promise<void> {
  let said = '';
  while (!(said.includes('started') && said.includes('ready'))) {
    const [bytes] = await once(stdout, 'data');
    said += String(bytes);
  }
}

describe('nothing is left of a tree when the process that started it is killed', () => {
  test.each<[string, (seconds: string) => string]>([
    ['waits', (seconds) => `echo ready; exec sleep ${seconds}`],
    [
      'ignores SIGTERM and SIGHUP',
      (seconds) => `trap '' TERM HUP; echo ready; sleep ${seconds}; sleep ${seconds}`,
    ],
    ['clears its environment', (seconds) => `echo ready; exec env -i sleep ${seconds}`],
    ['leaves its session', (seconds) => `setsid -f sleep ${seconds}; echo ready`],
  ])('if it %s', async (_, script) => {
    const seconds = ownSleep();
    const killed = starter([script(seconds)]);
    await bothSaid(killed);
    expect(running(seconds)).not.toEqual([]);
    killed.kill('SIGKILL');
    await expect.poll(() => running(seconds)).toEqual([]);
  });

  test('if others were ended before, and the one that watches was killed by somebody', async () => {
    const seconds = ownSleep();
    const killed = starter(
      [`echo ready; exec env -i sleep ${seconds}`],
      {},
      `
      import { spawnSync } from 'node:child_process';
      import { setTimeout as delay } from 'node:timers/promises';
      const watching = () =>
        Number(spawnSync('pgrep', ['-P', String(process.pid), '-f', 'cadre-watchdog']).stdout);
      process.on('SIGUSR2', async () => {
        await startProcessTree('true', [], options).end();
        const before = watching();
        process.kill(before, 'SIGKILL');
        // There is another one as soon as this process has heard of that death.
        while ([0, before].includes(watching())) await delay(10);
        console.log('started, and ready');
      });`,
    );
    await bothSaid(killed);
    killed.kill('SIGUSR2');
    await bothSaid(killed);
    expect(running(seconds)).not.toEqual([]);
    killed.kill('SIGKILL');
    await expect.poll(() => running(seconds)).toEqual([]);
  });
});

test('a program inherits nothing that this process has open, such as the store, and keeps what it is given', async () => {
  const { close } = await openLocalStore(await tempFolder());
  onTestFinished(close);
  const script = `
    for (const each of require('fs').readdirSync('/proc/self/fd')) {
      try { console.log(require('fs').readlinkSync('/proc/self/fd/' + each)); } catch {}
    }
    process.send?.('sent');`;
  for (const ipc of [[], ['ipc' as const]]) {
    const { child, end } = startProcessTree(process.execPath, ['-e', script], {
      cwd: '/',
      env: {},
      stdio: ['ignore', 'pipe', 'inherit', ...ipc],
    });
    onTestFinished(end);
    const sent = ipc.length === 0 ? undefined : once(child, 'message');
    const files = child.stdout === null ? '' : await text(child.stdout);
    expect(files).toContain('pipe:');
    expect(files).not.toContain('.mdb');
    expect(await sent).toEqual(ipc.length === 0 ? undefined : ['sent', undefined]);
  }
});

test('a process that has ended its trees ends by itself', async () => {
  const ended = starter(
    [],
    {},
    `await startProcessTree('true', [], { cwd: '/', env: {}, stdio: ['ignore', 'ignore', 'ignore'] }).end();`,
  );
  expect(await once(ended, 'exit')).toEqual([0, null]);
});

describe('the environment of the process that starts a tree', () => {
  const SHOW = `tr '\\0' '\\n' < /proc/$PPID/environ | grep -E '^(SOME|LANG|TZ)' | sort`;

  test('shows nothing in /proc but what is known to be harmless', async () => {
    const started = starter([SHOW], { SOME_KEY: 'secret', LANG: 'C', TZ: 'UTC', SOME_EMPTY: '' });
    // Two processes write there, in either order.
    expect((await text(started.stdout)).split('\n').sort()).toEqual(['', 'LANG=C', 'TZ=UTC', 'started']);
  });

  test('stays as it was for the process itself, and for what else it starts', async () => {
    const env = { SOME_KEY: 'secret', SOME_LINES: 'a\nb=c', SOME_EMPTY: '', SOME_NAME: 'größe' };
    const started = starter(
      ['exit'],
      env,
      `
      process.on('exit', () => {
        const some = Object.entries(process.env).filter(([name]) => name.startsWith('SOME_'));
        console.log(JSON.stringify(Object.fromEntries(some)));
      });`,
    );
    const [, some = ''] = (await text(started.stdout)).split('\n');
    expect(JSON.parse(some)).toEqual(env);
  });
});
