import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCommands } from '../../../src/places/local/commands.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { isolated } from '../../../src/places/local/sandbox.ts';
import { HAS_BUBBLEWRAP } from '../../fixtures/bubblewrap.ts';
import { ownSleep, running } from '../../fixtures/running-processes.ts';
import { call, openStage, use, type Asked } from '../../fixtures/stage.ts';
import { emptyFolder, tempFolder } from '../../fixtures/temp-folder.ts';
import { sandboxContract, type SandboxRig } from '../sandbox-contract.ts';

const store = { '.cadre/store/data.mdb': 'secret', '.cadre/blobs': emptyFolder };

/** As the ports of this process set one up. */
function optionsFor(workdir: string, more: Partial<Parameters<typeof isolated>[0]> = {}) {
  return {
    workdir,
    network: false,
    store: join(workdir, '.cadre'),
    home: '/nonexistent',
    path: process.env['PATH'],
    deciding: {
      folders: [join(workdir, 'agents')],
      modules: [join(workdir, 'tools/weather.ts')],
      config: '/nonexistent/config.toml',
    },
    ...more,
  };
}

const local: SandboxRig = {
  async open(files, { network = false } = {}) {
    const cwd = await tempFolder({ ...store, ...files });
    const env = { ...process.env, SOME_KEY: 'secret', TMPDIR: '/nonexistent' };
    return {
      commands: createCommands({ cwd, env, isolate: () => isolated(optionsFor(cwd, { network })) }),
      read: (path) => readFile(join(cwd, path), 'utf8').catch(() => undefined),
    };
  },
};

describe.skipIf(!HAS_BUBBLEWRAP)('by bubblewrap, which has to be installed', () => {
  sandboxContract(local, true);

  test('a command inherits no file that this process has open, such as the store', async () => {
    const cwd = await tempFolder();
    const { close } = await openLocalStore(cwd);
    onTestFinished(close);
    const commands = createCommands({ cwd, env: process.env, isolate: () => isolated(optionsFor(cwd)) });
    const signal = new AbortController().signal;
    // ls has the folder open that it lists.
    expect(await commands.run('ls /proc/self/fd', { seconds: 60, signal, tell: () => {} })).toMatchObject({
      output: '0\n1\n2\n3\n',
    });
  });

  test('nothing is left of a command when Cadre is killed, whatever it did to hide', async () => {
    const seconds = ownSleep();
    const from = (path: string) => JSON.stringify(join(import.meta.dirname, '../../../src', path));
    const cwd = await tempFolder(store);
    const program = `
      import { createCommands } from ${from('places/local/commands.ts')};
      import { isolated } from ${from('places/local/sandbox.ts')};
      const isolate = () => isolated(${JSON.stringify(optionsFor(cwd))});
      const commands = createCommands({ cwd: ${JSON.stringify(cwd)}, env: process.env, isolate });
      const tell = (text) => process.stdout.write(text);
      await commands.run("trap '' TERM; setsid -f env -i sleep ${seconds}; echo ready; sleep ${seconds}", {
        seconds: 60, signal: new AbortController().signal, tell,
      });`;
    const killed = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void killed.kill('SIGKILL'));
    await once(killed.stdout, 'data');
    expect(running(seconds)).not.toEqual([]);
    killed.kill('SIGKILL');
    await expect.poll(() => running(seconds)).toEqual([]);
  });

  test('a folder of agents that is not there is made, and stays empty', async () => {
    const cwd = await tempFolder(store);
    const commands = createCommands({ cwd, env: process.env, isolate: () => isolated(optionsFor(cwd)) });
    const command = 'touch agents/x || ls -A agents';
    const ran = await commands.run(`(${command}) 2>/dev/null`, {
      seconds: 60,
      signal: new AbortController().signal,
      tell: () => {},
    });
    expect(ran).toMatchObject({ output: '', exitCode: 0 });
  });

  test('who is called by an agent whose commands are isolated, or is a copy of it, isolates them too', async () => {
    const look = ({ turn, results }: Pick<Asked, 'turn' | 'results'>) =>
      turn === 1 ? [use('run_command', { command: 'cat /proc/1/comm; ls .cadre' })] : results.join('');
    const stage = await openStage(
      {
        top: ({ turn, results, message }) => {
          if (message === 'look') return look({ turn, results });
          if (turn === 1) return [call('sub', 'look'), use('spawn_agent', { task: 'look' })];
          return results.join('\n');
        },
        sub: look,
      },
      {
        top: 'tools = ["run_command", "spawn_agent"]\nsub_agents = ["sub"]\n[sandbox]\nkind = "isolated"',
        sub: 'tools = ["run_command"]',
      },
    );
    expect((await stage.run()).out.match(/^bwrap$|exit code 0/gm)).toEqual([
      'bwrap',
      'exit code 0',
      'bwrap',
      'exit code 0',
    ]);
  });

  test.each<[string, (cwd: string) => Partial<Parameters<typeof isolated>[0]>, string]>([
    [
      'your home folder',
      (cwd) => ({ home: cwd }),
      'which contains your home folder: run the agent in a folder below it',
    ],
    [
      'files of agents directly',
      (cwd) => ({ deciding: { folders: [cwd], modules: [], config: '/nonexistent' } }),
      'it is a folder of agents, which none may change. Move them into agents/',
    ],
    [
      'a link in place of agents',
      (cwd) => ({ deciding: { folders: [join(cwd, 'linked')], modules: [], config: '/nonexistent' } }),
      'CWD/linked is a link, which a command could replace. Put in its place what it leads to',
    ],
    [
      'a module behind a link',
      (cwd) => ({ deciding: { folders: [], modules: [join(cwd, 'linked/x.ts')], config: '/nonexistent' } }),
      'CWD/linked is a link, which a command could replace. Put in its place what it leads to',
    ],
  ])('it is refused where the workdir contains %s', async (_, more, why) => {
    const cwd = await tempFolder({ ...store, linked: { linkTo: '/usr' } });
    const joined = why.startsWith('which') ? `${cwd}, ` : `${cwd}: `;
    await expect(isolated(optionsFor(cwd, more(cwd)))).rejects.toThrow(
      `commands cannot be isolated in ${joined}${why.replaceAll('CWD', cwd)}`,
    );
  });
});
