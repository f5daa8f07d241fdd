import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { typed } from '../fixtures/typed.ts';
import { guideSteps, wordsOf } from './guide.ts';
import { beginProject } from './project.ts';

const ROOT = join(import.meta.dirname, '../..');

/** What needs a registry, or a clone with nothing installed: `npm run first-minutes` types the like. */
const ELSEWHERE = ['npm ci && npm run build && npm link', 'cadre init desk && cd desk && npm install'];

test('the first ten minutes go as their page says', async () => {
  const steps = await guideSteps('first-agent.md');
  const commands = steps.flatMap((step) => (step.kind === 'command' ? [step.command] : []));
  expect(commands.slice(0, 2)).toEqual(ELSEWHERE);
  const { folder, write } = await beginProject({}, 'desk');
  let printed = '';
  for (const step of steps) {
    if (step.kind === 'file') await write(step.path, step.content);
    else if (step.kind === 'output') expectLines(printed, step.lines);
    else if (!ELSEWHERE.includes(step.command)) printed = await type(step.command, folder);
  }
  const passed = printed.replaceAll(/\u001b\[\d+m/g, '');
  expect(passed).toMatch(/Tests +3 passed/);
});

/** @returns what it prints */
async function type(command: string, cwd: string): Promise<string> {
  if (command === 'npm test') return runTests(cwd);
  const { words, input } = wordsOf(command);
  const [program, ...rest] = words;
  expect(program).toBe('cadre');
  const stdin = input === undefined ? '' : await readFile(join(cwd, input), 'utf8');
  const { code, out, err } = await typed(rest, cwd, { stdin });
  expect(code, `${command}: ${err}`).toBe(0);
  return out;
}

/** The tests of the project, with the sources of the package in its place. */
function runTests(cwd: string): string {
  const config = join(import.meta.dirname, '../fixtures/own-project.config.ts');
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  return execFileSync(process.execPath, [vitest, 'run', '--config', config, '--root', cwd], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, NO_COLOR: '1' },
    encoding: 'utf8',
  });
}

/** Each line begins a printed one, in this order. */
function expectLines(printed: string, lines: readonly string[]): void {
  const found = printed.split('\n').filter((line) => lines.some((each) => line.startsWith(each)));
  expect(found.map((line, index) => line.slice(0, lines[index]?.length))).toEqual(lines);
}
