import { execFileSync } from 'node:child_process';
import { cp, readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FRONT_PAGE, sectionsOf } from '../../scripts/documents/contents.ts';
import { startCommand, type Command } from '../fixtures/command.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';
import { typed } from '../fixtures/typed.ts';
import { startRehearsal, type Rehearsal } from '../rehearsal/rehearsal.ts';
import { guideSteps, wordsOf } from './guide.ts';
import { beginProject, synth, type Project } from './project.ts';

const ROOT = join(import.meta.dirname, '../..');
const NOTE = 'The printer on floor 2 needs toner.';

/** What needs a registry, or a clone with nothing installed; `npm run first-minutes` types the like. */
const INSTALLING = 'npm ci && npm run build && npm link';
/** Of the clone's own agents. */
const DEPLOYING_THE_CLONE = 'npx cdk bootstrap -c env=dev && npx cdk deploy -c env=dev';
const BEGINNING = 'cadre init desk && cd desk && npm install';
/** What needs an account, besides the deployment, which is played here. */
const IN_AN_ACCOUNT = ['npx cdk bootstrap', 'cadre doctor --env dev', 'npx cdk destroy -c env=dev'];

test('a newcomer gets from the front page to a deployed agent by typing what the pages say', async () => {
  const pages = await pagesFromTheFront();
  expect(pages).toEqual(['README.md', 'first-agent.md', 'first-deployment.md']);
  const newcomer = createNewcomer();
  for (const page of pages) {
    for (const step of await guideSteps(page)) {
      if (step.kind === 'file') await newcomer.write(step.path, step.content);
      else if (step.kind === 'command') await newcomer.type(step.command);
      else newcomer.sees(step.lines);
    }
  }
  expect(newcomer.leftOut).toEqual([DEPLOYING_THE_CLONE, INSTALLING, ...IN_AN_ACCOUNT]);
});

/** The pages of docs/ that lead on from the front page: the first that it lists, and the next of each. */
async function pagesFromTheFront(): Promise<string[]> {
  const read = (page: string) => readFile(join(ROOT, 'docs', page), 'utf8');
  const front = basename(FRONT_PAGE);
  const [start] = sectionsOf(await read(front), FRONT_PAGE);
  const pages = [front];
  let next = start?.pages[0] && basename(start.pages[0].path);
  while (next !== undefined) {
    pages.push(next);
    [, next] = /^Next: \[[^\]]*\]\(([\w-]+\.md)\)/m.exec(await read(next)) ?? [];
  }
  return pages;
}

/** Somebody at a terminal, with a clone, a project of their own, and an account that is rehearsed. */
function createNewcomer() {
  let project: Project | undefined;
  let account: Rehearsal | undefined;
  let waiting: Command | undefined;
  let printed = '';
  const leftOut: string[] = [];

  /** @returns what it prints */
  async function typeCadre(words: string[], input: string | undefined): Promise<string> {
    const cwd = project?.folder ?? (await clone());
    const stdin = input === undefined ? '' : await readFile(join(cwd, input), 'utf8');
    if (!words.includes('--env')) return printedBy(words, await typed(words, cwd, { stdin }));
    const command = startCommand(words, cwd, account?.environment);
    if (words[0] === 'run') {
      await command.says('needs approval');
      waiting = command;
      return '';
    }
    const out = printedBy(words, await command.ended());
    if (words[0] === 'answer') {
      expect(await waiting?.ended()).toMatchObject({ code: 0, out: `Done. filed: ${NOTE}` });
    }
    return out;
  }

  return {
    leftOut,
    async write(path: string, content: string) {
      await project?.write(path, content);
    },
    async type(command: string) {
      const { words, input } = wordsOf(command.replace(/^npm ci && npx /, ''));
      const [program, ...rest] = words;
      if (command === BEGINNING) project = await beginProject({}, 'desk');
      else if (program === 'cadre' && !IN_AN_ACCOUNT.includes(command))
        printed = await typeCadre(rest, input);
      else if (project === undefined || IN_AN_ACCOUNT.includes(command)) leftOut.push(command);
      else if (command === 'npm test') expect(runTests(project.folder)).toMatch(/Tests +3 passed/);
      else if (rest[1] === 'synth') expect(await synth(project)).toMatchObject({ code: 0 });
      else {
        expect(command).toBe('npx cdk deploy -c env=dev');
        account = await deploy(project);
      }
    },
    /** Each line begins a printed one, in this order. */
    sees(lines: readonly string[]) {
      const found = printed.split('\n').filter((line) => lines.some((each) => line.startsWith(each)));
      expect(found.map((line, index) => line.slice(0, lines[index]?.length))).toEqual(lines);
    },
  };
}

function printedBy(words: string[], { code, out, err }: { code: number | null; out: string; err: string }) {
  expect(code, `${words.join(' ')}: ${out}${err}`).toBe(0);
  return out;
}

/** What is in a clone for those who run its agents. */
async function clone(): Promise<string> {
  const folder = await tempFolder();
  for (const each of ['agents', 'README.md'])
    await cp(join(ROOT, each), join(folder, each), { recursive: true });
  return folder;
}

/** The stack of a project with all that is in it by then, on stand-ins for AWS. */
async function deploy({ folder }: Project): Promise<Rehearsal> {
  const account = await startRehearsal({
    agents: await textsIn(join(folder, 'agents')),
    modules: await textsIn(join(folder, 'tools')),
    roles: {
      'sonnet-5-5': ({ turn, results }) =>
        turn === 1 ? [{ tool: 'file_note', input: { note: NOTE } }] : `Done. ${results[0]?.text}`,
    },
  });
  onTestFinished(() => account.close());
  return account;
}

async function textsIn(folder: string): Promise<Record<string, string>> {
  const files = await readdir(folder);
  const texts = files.map(async (file) => [
    basename(file, extname(file)),
    await readFile(join(folder, file), 'utf8'),
  ]);
  return Object.fromEntries(await Promise.all(texts));
}

/** The tests of the project, with the sources of the package in its place. */
function runTests(cwd: string): string {
  const config = join(import.meta.dirname, '../fixtures/own-project.config.ts');
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const printed = execFileSync(process.execPath, [vitest, 'run', '--config', config, '--root', cwd], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, NO_COLOR: '1' },
    encoding: 'utf8',
  });
  return printed.replaceAll(/\u001b\[\d+m/g, '');
}
