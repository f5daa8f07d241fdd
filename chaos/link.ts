import { execFileSync } from 'node:child_process';
import { cp, lstat, mkdir, readFile, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { spawnCommand } from '../test/fixtures/command.ts';
import { contentOf } from '../test/fixtures/folder-content.ts';
import { makeFolder } from '../test/fixtures/temp-folder.ts';
import type { Campaign, Trial } from './campaign.ts';

const PLACES = [
  '.cadre',
  '.cadre/.gitignore',
  '.cadre/store',
  '.cadre/store/store.mdb',
  '.cadre/store/store.mdb-lock',
  '.cadre/blobs',
  '.cadre/blobs/run',
  'agents',
  'agents/x.toml',
];
const COMMANDS = [
  ['runs'],
  ['runs', '--json'],
  ['show', 'last'],
  ['show', 'last', '--messages'],
  ['resume', 'last'],
  ['stop', 'last'],
  ['run', 'x', '-p', 'Water boils at 100 degrees.'],
  ['memory', 'show', 'x'],
  ['agents', 'check'],
];

/** A command that takes longer hangs. */
const MOST_MS = 30_000;

/** Puts something else where the project has a file or a folder. */
async function spoil(cwd: string, outside: string, trial: Trial): Promise<string> {
  const place = trial.pick(PLACES);
  const at = join(cwd, place);
  // A link that was put above it before may lead out.
  const inside = await realpath(`${dirname(at)}/.`).catch(() => '');
  if (inside !== dirname(at)) return spoil(cwd, outside, trial);
  const isFile = (await lstat(at).catch(() => undefined))?.isFile() === true;
  const before = isFile ? await readFile(at) : undefined;
  const replace = async (how: string, put: () => unknown) => {
    await rm(at, { recursive: true, force: true });
    await put();
    return `${place} is ${how}`;
  };
  const to = join(outside, trial.pick(['folder', 'file', 'empty', 'nothing']));
  switch (trial.pick(['link', 'pipe', 'folder', 'noise', 'cut', 'flip'])) {
    case 'link':
      return replace(`a link to ${to}`, () => symlink(to, at));
    case 'pipe':
      return replace('a pipe', () => execFileSync('mkfifo', [at]));
    case 'folder':
      return replace('a folder', () => mkdir(at));
    case 'cut':
      if (before === undefined) return spoil(cwd, outside, trial);
      await truncate(at, trial.number(0, before.length));
      return `${place} is cut`;
    case 'flip':
      if (before === undefined) return spoil(cwd, outside, trial);
      for (let flips = trial.number(1, 50); flips > 0 && before.length > 0; flips--) {
        const index = trial.number(0, before.length - 1);
        before[index] = (before[index] ?? 0) ^ (1 << trial.number(0, 7));
      }
      await writeFile(at, before);
      return `${place} has flipped bits`;
    default:
      return replace('noise', () =>
        writeFile(
          at,
          Buffer.from(Array.from({ length: trial.number(0, 20_000) }, () => trial.number(0, 255))),
        ),
      );
  }
}

export const LINK: Campaign = {
  name: 'link',
  tries: 'folders with links, pipes, folders, noise and damage where the store and the agents are',
  async open() {
    const project = await makeFolder({ 'agents/x.toml': 'name = "x"\nmodel = "offline/extractive"\n' });
    await spawnCommand(['run', 'x', '-p', 'Ice melts at 0 degrees.'], project).ended();
    return {
      async attack(trial) {
        const outside = await trial.folder({ 'folder/kept': 'theirs', file: 'theirs', empty: '' });
        const cwd = await trial.folder();
        await cp(project, cwd, { recursive: true });
        const spoilt: string[] = [];
        for (let times = trial.number(1, 2); times > 0; times--)
          spoilt.push(await spoil(cwd, outside, trial));
        const before = await contentOf(outside);
        const broken: string[] = [];
        for (const command of [trial.pick(COMMANDS), trial.pick(COMMANDS)]) {
          const started = spawnCommand(command, cwd);
          trial.defer(() => started.process.kill('SIGKILL'));
          const end = await Promise.race([started.ended(), delay(MOST_MS, undefined, { ref: false })]);
          const what = `${spoilt.join(', ')}: ${command.join(' ')}`;
          if (end === undefined) broken.push(`${what} hangs`);
          else if (end.code === null || end.code > 4)
            broken.push(`${what} ended with ${end.code}: ${end.err}`);
          else if (/\n {4}at |\b(Type|Range|Reference|Syntax)Error\b/.test(end.err)) {
            broken.push(`${what} is no sentence: ${end.err}`);
          }
        }
        if (JSON.stringify(await contentOf(outside)) !== JSON.stringify(before)) {
          broken.push(`${spoilt.join(', ')}: what is outside was changed`);
        }
        return broken;
      },
      close: () => rm(project, { recursive: true }),
    };
  },
};
