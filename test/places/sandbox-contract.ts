import { describe, expect, onTestFinished, test } from 'vitest';
import type { CommandOptions, Commands } from '../../src/core/tool-contracts/tool.ts';
import { serveOnLoopback } from '../fixtures/loopback.ts';

/** Where the commands of the contract run. */
export interface SandboxRig {
  /** Places in which they may try to leave something, with spaces between them, as the shell has them. */
  places: string;
  /** Prints the environment of each process that they see. */
  environments: string;
  /**
   * Opens a sandbox for the length of a test: of a project whose folder is the workdir, with a store in `.cadre/`, and
   * agents in `agents/`, one of which names the module `tools/weather.ts`, and Cadre installed in `node_modules/`.
   * @param files in the workdir, by their paths
   */
  open(files: Record<string, string>, options?: { network?: boolean }): Promise<OpenSandbox>;
}

export interface OpenSandbox {
  commands: Commands;
  /** A file of the workdir as all others see it; undefined if there is none. */
  read(path: string): Promise<string | undefined>;
}

/** Serves a word on this machine. @returns where */
async function serveWord(): Promise<string> {
  const { endpoint, close } = await serveOnLoopback((_, response) => response.end('reached'));
  onTestFinished(close);
  return endpoint;
}

const PROJECT = {
  'src/a.js': 'export const a = 1;\n',
  'agents/one.toml': 'name = "one"\n',
  'tools/weather.ts': 'export const handler = () => 1;\n',
  '.git/config': '[core]\n',
  'node_modules/cadre/dist/run.js': 'run();\n',
};

async function openIn(rig: SandboxRig, options?: { network?: boolean }) {
  const { commands, read } = await rig.open(PROJECT, options);
  const result = (command: string, more: Partial<CommandOptions> = {}) =>
    commands.run(command, { seconds: 60, signal: new AbortController().signal, tell: () => {}, ...more });
  const run = async (command: string) => {
    const ended = await result(command);
    return 'output' in ended ? ended.output : JSON.stringify(ended);
  };
  return { run, result, read };
}

/** The behaviour of every sandbox, whatever isolates it. */
export function sandboxContract(rig: SandboxRig): void {
  const open = () => openIn(rig);

  describe('an isolated command', () => {
    test('runs in the workdir, and tells what it wrote to both streams, in order, and its exit code', async () => {
      const { result } = await open();
      expect(await result('cat src/a.js; echo err >&2; echo out; exit 3')).toMatchObject({
        output: 'export const a = 1;\nerr\nout\n',
        left: 0,
        exitCode: 3,
        timedOut: false,
      });
    });

    test('loses nothing of what it writes at last', async () => {
      const { run } = await open();
      expect(await run(`head -c 300000 /dev/zero | tr '\\0' b`)).toBe('b'.repeat(300_000));
    });

    test('changes, makes and deletes files of the workdir, which the next one finds', async () => {
      const { run, read } = await open();
      await run(
        'mkdir -p out && echo made > out/b.txt && echo "// more" >> src/a.js && touch gone && rm gone',
      );
      expect(await run('cat out/b.txt src/a.js; ls')).toBe(
        'made\nexport const a = 1;\n// more\nagents\nnode_modules\nout\nsrc\ntools\n',
      );
      expect(await read('out/b.txt')).toBe('made\n');
    });

    test('changes nothing elsewhere: scratch files are gone after it', async () => {
      const { run } = await open();
      const { places } = rig;
      await run(`for folder in ${places}; do touch $folder/cadre-was-here 2>/dev/null; done`);
      expect(await run(`ls -d ${places.replaceAll(/(\S+)/g, '$1/cadre-was-here')} 2>/dev/null`)).toBe('');
    });

    test('has Node.js, and a home folder without anything', async () => {
      const { run } = await open();
      expect(await run('node -p "1 + 1"; find ~ -type f')).toBe('2\n');
    });

    test('finds none of the keys of the process that runs it, wherever it looks', async () => {
      const { run } = await open();
      const names = (await run(`env; ${rig.environments}`))
        .split('\n')
        .map((line) => line.split('=')[0] ?? '');
      const known =
        /^(|PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|CI|TERM|PWD|OLDPWD|SHLVL|_|CADRE_PROCESS_TREE)$/;
      expect(names.filter((name) => !known.test(name))).toEqual([]);
    });

    test('is ended when its time is over, with what it has started, and tells what it wrote until then', async () => {
      const { result } = await open();
      const command = 'setsid -f sleep 99; echo first; sleep 99';
      expect(await result(command, { seconds: 0.5 })).toMatchObject({ output: 'first\n', timedOut: true });
    });

    test('ends when it is stopped', async () => {
      const { result } = await open();
      const stop = new AbortController();
      const tell = () => stop.abort(new Error('stopped'));
      await expect(result('echo ready; sleep 99', { signal: stop.signal, tell })).rejects.toThrow('stopped');
    });
  });
}

/** What is beside that of a sandbox on a machine, which others share. */
export function sharedMachineContract(rig: SandboxRig): void {
  const open = (options?: { network?: boolean }) => openIn(rig, options);

  describe('a command that is isolated on a machine', () => {
    test('changes nothing of the system', async () => {
      const { run } = await open();
      expect(await run('touch /usr/x 2>/dev/null || echo refused')).toBe('refused\n');
    });

    test('sees no processes but its own', async () => {
      const { run } = await open();
      const count = Number(await run('ls /proc | grep -c "^[0-9]"'));
      expect(count).toBeGreaterThan(0);
      expect(count).toBeLessThan(10);
    });

    test('has no rights of root', async () => {
      const { run } = await open();
      expect(await run('grep CapEff /proc/self/status')).toBe('CapEff:\t0000000000000000\n');
      expect(await run('cat /etc/shadow 2>/dev/null')).toBe('');
      expect(await run('umount .cadre 2>/dev/null || echo refused')).toBe('refused\n');
    });

    test('reaches no network, unless it may', async () => {
      const address = await serveWord();
      const ask = `node -e "fetch('${address}').then((answer) => answer.text()).then(console.log, () => console.log('unreachable'))"`;
      expect(await (await open()).run(ask)).toBe('unreachable\n');
      expect(await (await open({ network: true })).run(ask)).toBe('reached\n');
    });

    test('sees nothing of the store', async () => {
      const { run } = await open();
      expect(await run('find .cadre -type f; touch .cadre/x 2>/dev/null || echo refused')).toBe('refused\n');
    });

    test.each([
      ['writes a file of an agent', 'echo x > agents/one.toml'],
      ['makes one', 'echo x > agents/two.toml'],
      ['deletes one', 'rm -f agents/one.toml'],
      ['moves the folder of agents away', 'mv agents elsewhere'],
      ['writes a module that an agent calls', 'echo x > tools/weather.ts'],
      ['replaces it', 'echo x > tools/other.ts && mv -f tools/other.ts tools/weather.ts'],
      ['moves its folder away', 'mv tools elsewhere'],
      ['writes the code that runs it', 'echo x > node_modules/cadre/dist/run.js'],
      ['adds to that', 'echo x > node_modules/cadre/dist/more.js'],
      ['moves it away', 'mv node_modules elsewhere'],
      ['has git run something', 'echo "[core] pager = x" >> .git/config'],
      ['makes a hook', 'mkdir -p .git/hooks && echo x > .git/hooks/pre-commit'],
      ['has git read settings elsewhere', 'echo ../elsewhere > .git/commondir'],
      ['moves the repository away', 'mv .git elsewhere'],
      ['takes what is mounted away', 'umount agents || unshare --user --map-root-user --mount umount agents'],
    ])('is refused if it %s', async (_, command) => {
      const { run, read } = await open();
      expect(await run(`(${command}) 2>/dev/null || echo refused`)).toBe('refused\n');
      const left = [
        'agents/one.toml',
        'tools/weather.ts',
        '.git/config',
        'node_modules/cadre/dist/run.js',
      ] as const;
      expect(await Promise.all(left.map(read))).toEqual(left.map((path) => PROJECT[path]));
      expect(await read('agents/two.toml')).toBeUndefined();
      expect(await read('.git/hooks/pre-commit')).toBeUndefined();
    });
  });
}
