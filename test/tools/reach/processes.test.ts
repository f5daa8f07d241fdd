import { expect, test } from 'vitest';
import { openProcesses, type Started, type System } from '../../../src/tools/reach/processes.ts';

interface Fake {
  pid: number;
  group: number;
  parent: number;
  mark: string;
  /** Goes on when it is asked to end. */
  isStubborn?: boolean;
}

const MARK = 'CADRE_PROCESS_TREE=a';
const TOP = { pid: 10, group: 10, parent: 1, mark: MARK };
/** In its group, without the mark. */
const BARE = { pid: 11, group: 10, parent: 10, mark: '' };
/** With a group of its own. */
const LEAVER = { pid: 12, group: 12, parent: 10, mark: MARK };
const OTHER = { pid: 13, group: 13, parent: 1, mark: 'CADRE_PROCESS_TREE=b' };
const ALL = [TOP, BARE, LEAVER, OTHER];

/** A system with these processes, whose time passes only where somebody waits. */
function system(platform: NodeJS.Platform, processes: readonly Fake[]) {
  let left = [...processes];
  let time = 0;
  const done: string[] = [];
  const there = (pid: number) => left.filter((each) => (pid < 0 ? each.group === -pid : each.pid === pid));
  const remove = (gone: readonly Fake[]) => (left = left.filter((each) => !gone.includes(each)));
  const fake: System = {
    platform,
    kill(pid, signal) {
      const found = there(pid);
      if (found.length === 0) throw new Error('ESRCH');
      if (signal === 0) return;
      done.push(`${signal} ${pid} at ${time}`);
      remove(signal === 'SIGKILL' ? found : found.filter(({ isStubborn = false }) => !isStubborn));
    },
    listProc() {
      if (platform !== 'linux') throw new Error('ENOENT');
      return ['self', ...left.map(({ pid }) => `${pid}`)];
    },
    readProc(file) {
      const [pid, name] = file.split('/');
      const [found] = there(Number(pid));
      if (found === undefined) throw new Error('ENOENT');
      return name === 'stat'
        ? `${found.pid} (a (name) here) S ${found.parent} ${found.group} 0`
        : `PATH=/bin\0${found.mark}\0`;
    },
    run(program, args) {
      done.push(`${program} ${args.join(' ')}`);
      const below = (pid: number): Fake[] =>
        left.filter(({ parent }) => parent === pid).flatMap((each) => [each, ...below(each.pid)]);
      const pid = Number(args[1]);
      remove([...there(pid), ...below(pid)]);
    },
    now: () => time,
    pause: async (milliseconds) => void (time += milliseconds),
  };
  return { system: fake, done, left: () => left.map(({ pid }) => pid), time: () => time };
}

const tree = (hasEnded = false): Started => ({ group: 10, mark: MARK, hasEnded: () => hasEnded });

test('on Linux, the group and all that carry the mark are asked to end', async () => {
  const on = system('linux', ALL);
  await openProcesses(on.system).end(tree());
  expect(on.done).toEqual(['SIGTERM 10 at 0', 'SIGTERM 11 at 0', 'SIGTERM 12 at 0']);
  expect(on.left()).toEqual([OTHER.pid]);
});

test('what does not end is killed 0.7 s later, its group in one step', async () => {
  const on = system('linux', [TOP, { ...BARE, isStubborn: true }, OTHER]);
  await openProcesses(on.system).end(tree());
  expect(on.done).toEqual(['SIGTERM 10 at 0', 'SIGTERM 11 at 0', 'SIGKILL -10 at 700']);
  expect(on.left()).toEqual([OTHER.pid]);
});

test('what hangs in the kernel is given up', async () => {
  const on = system('linux', [TOP]);
  const { system: hanging } = on;
  await openProcesses({ ...hanging, kill: () => {} }).end(tree());
  expect(on.time()).toBeGreaterThan(2_000);
});

test('on macOS, the group is ended, and what has left it goes on', async () => {
  const on = system('darwin', [TOP, { ...BARE, isStubborn: true }, LEAVER, OTHER]);
  await openProcesses(on.system).end(tree());
  expect(on.done).toEqual(['SIGTERM -10 at 0', 'SIGKILL -10 at 700']);
  expect(on.left()).toEqual([LEAVER.pid, OTHER.pid]);
});

test('on Windows, a process is ended with all that it has started, by a program of the system', async () => {
  const on = system('win32', ALL);
  await openProcesses(on.system).end(tree());
  expect(on.done).toEqual([expect.stringMatching(/^[A-Z]:\\.*\\System32\\taskkill\.exe \/PID 10 \/T \/F$/)]);
  expect(on.left()).toEqual([OTHER.pid]);
});

test('on Windows, the number of a process that has ended is another one’s', async () => {
  const on = system('win32', ALL);
  const processes = openProcesses(on.system);
  await processes.end(tree(true));
  processes.kill(tree(true));
  expect([on.done, on.left().length]).toEqual([[], 4]);
});

test.each(['linux', 'darwin', 'win32'] as const)('all is killed at once when we end: %s', (platform) => {
  const on = system(platform, [{ ...TOP, isStubborn: true }, BARE, OTHER]);
  openProcesses(on.system).kill(tree());
  expect([on.left(), on.time()]).toEqual([[OTHER.pid], 0]);
});
