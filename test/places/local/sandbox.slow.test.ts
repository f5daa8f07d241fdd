import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCommands } from '../../../src/places/local/commands.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { isolated } from '../../../src/places/local/sandbox.ts';
import { HAS_BUBBLEWRAP } from '../../fixtures/bubblewrap.ts';
import { ownSleep, running } from '../../fixtures/running-processes.ts';
import { call, openStage, use, type Asked } from '../../fixtures/stage.ts';
import { emptyFolder, tempFolder } from '../../fixtures/temp-folder.ts';
import { sandboxContract, type SandboxRig, sharedMachineContract } from '../sandbox-contract.ts';

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
      skills: [],
      config: '/nonexistent/config.toml',
      program: join(workdir, 'node_modules/cadre/dist'),
    },
    ...more,
  };
}

const local: SandboxRig = {
  places: '/ /usr /etc /opt /var/tmp /tmp ~',
  environments: 'cat /proc/*/environ | tr "\\0" "\\n"',
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
  sandboxContract(local);
  sharedMachineContract(local);

  test('a command inherits no file that this process has open, such as the store', async () => {
    const cwd = await tempFolder();
    const { close } = await openLocalStore(cwd);
    onTestFinished(close);
    const commands = createCommands({ cwd, env: process.env, isolate: () => isolated(optionsFor(cwd)) });
    const signal = new AbortController().signal;
    const look = 'for fd in /proc/self/fd/*; do readlink $fd; done | grep -v "^pipe:" | sort -u';
    expect(await commands.run(look, { seconds: 60, signal, tell: () => {} })).toMatchObject({
      output: '/dev/null\n',
    });
  });

  test('a command writes no program that is then started around the next one', async () => {
    const cwd = await tempFolder(store);
    const proof = join(await tempFolder(), 'proof');
    const path = `${cwd}/bin:${cwd}/node_modules/.bin:${process.env['PATH']}`;
    const env = { ...process.env, PATH: path };
    const commands = createCommands({ cwd, env, isolate: () => isolated(optionsFor(cwd, { path })) });
    const ask = (command: string) =>
      commands.run(command, { seconds: 60, signal: new AbortController().signal, tell: () => {} });
    const write = `for name in bwrap bash cat; do for bin in bin node_modules/.bin; do
      mkdir -p $bin; printf '#!/bin/sh\ntouch ${proof}\n' > $bin/$name; chmod +x $bin/$name; done; done`;
    expect(await ask(write)).toMatchObject({ exitCode: 0 });
    // The command itself has the user's PATH.
    await ask('true');
    expect(existsSync(proof)).toBe(false);
  });

  test('a command makes no repository of the workdir, whose settings and hooks git would run outside', async () => {
    const cwd = await tempFolder(store);
    const commands = createCommands({ cwd, env: process.env, isolate: () => isolated(optionsFor(cwd)) });
    const signal = new AbortController().signal;
    await commands.run('mkdir -p .git/hooks; git init; echo gitdir: x > .git', {
      seconds: 60,
      signal,
      tell: () => {},
    });
    expect(await readdir(join(cwd, '.git'))).toEqual([]);
  });

  // Where the system has no folder that we may write to, there is nothing to hide.
  test.skipIf(process.getuid?.() !== 0)(
    'neither a home nor a project in a folder of the system is seen',
    async () => {
      const home = await mkdtemp('/opt/cadre-test-');
      onTestFinished(() => rm(home, { recursive: true }));
      for (const [path, text] of Object.entries({
        '.aws/key': 'KEY',
        'app/.cadre/x': '',
        'app/work/a.txt': 'mine\n',
      })) {
        await mkdir(dirname(join(home, path)), { recursive: true });
        await writeFile(join(home, path), text);
      }
      const cwd = join(home, 'app/work');
      const options = optionsFor(cwd, { home, store: join(home, 'app/.cadre') });
      const commands = createCommands({ cwd, env: process.env, isolate: () => isolated(options) });
      const look = `find ${home} -type f; cat a.txt; touch b.txt; touch ${home}/c 2>/dev/null || echo refused`;
      const signal = new AbortController().signal;
      expect(await commands.run(look, { seconds: 60, signal, tell: () => {} })).toMatchObject({
        output: `${cwd}/a.txt\nmine\nrefused\n`,
      });
      expect(await readdir(cwd)).toContain('b.txt');
    },
  );

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
      (cwd) => ({
        deciding: {
          folders: [cwd],
          modules: [],
          skills: [],
          config: '/nonexistent',
          program: '/nonexistent',
        },
      }),
      'it is a folder of agents, which none may change. Move them into agents/',
    ],
    [
      'a link in place of agents',
      (cwd) => ({
        deciding: {
          folders: [join(cwd, 'linked')],
          modules: [],
          skills: [],
          config: '/nonexistent',
          program: '/nonexistent',
        },
      }),
      'CWD/linked is a link, which a command could replace. Put in its place what it leads to',
    ],
    [
      'a module behind a link',
      (cwd) => ({
        deciding: {
          folders: [],
          modules: [join(cwd, 'linked/x.ts')],
          skills: [],
          config: '/nonexistent',
          program: '/nonexistent',
        },
      }),
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
