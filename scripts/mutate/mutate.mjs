// Draws small faults from the sources by a seed, puts one after the other into a copy of the project, and says which of
// them neither the compiler nor a test notices.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { mutantsOf } from './mutants.mjs';

const USAGE = `npm run mutate -- [--seed <n>] [--count <n>] [--in <folder>]... [--only <k>] [--slow]

  --seed <n>     which mutants are drawn; a random one if absent
  --count <n>    how many: 50 if absent
  --in <folder>  where from: src, functions and infra if absent
  --only <k>     the k-th of them alone, with the output of its tests
  --slow         hold those that fast tests miss against the slow tests of their folder, too`;

const root = join(import.meta.dirname, '../..');
const options = readOptions();
const drawn = draw(candidates(), options);
const copy = copyProject();
let survivors = 0;
try {
  for (const [index, mutant] of drawn.entries()) {
    if (options.only !== undefined && index + 1 !== options.only) continue;
    const killer = judge(mutant);
    if (killer === undefined) survivors += 1;
    const { file, line, before, after } = mutant;
    console.log(
      `${index + 1}  ${killer ?? 'SURVIVED'}  ${file}:${line}  ${brief(before)} -> ${brief(after)}`,
    );
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
const judged = options.only === undefined ? drawn.length : 1;
console.log(`seed ${options.seed}: ${judged - survivors} of ${judged} noticed`);

function readOptions() {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      count: { type: 'string', default: '50' },
      in: { type: 'string', multiple: true, default: ['src', 'functions', 'infra'] },
      only: { type: 'string' },
      slow: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit();
  }
  return {
    seed: whole('seed', values.seed ?? String(Math.floor(Math.random() * 1_000_000))),
    count: whole('count', values.count),
    only: values.only === undefined ? undefined : whole('only', values.only),
    folders: values.in,
    slow: values.slow,
  };
}

function whole(option, text) {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  console.error(`--${option} must be a whole number, not ${JSON.stringify(text)}`);
  process.exit(2);
}

function candidates() {
  const files = tracked(...options.folders).filter((file) => /(?<!\.d)\.tsx?$/.test(file));
  return files.flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')));
}

/** The files that git knows, with those that are new and not ignored. */
function tracked(...folders) {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--', ...folders];
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\0')
    .filter(Boolean)
    .sort();
}

/** Takes as many as are asked for, each at most once. */
function draw(all, { seed, count }) {
  const random = randomBy(seed);
  const rest = [...all];
  return Array.from({ length: Math.min(count, rest.length) }, () => {
    const index = Math.floor(random() * rest.length);
    const [mutant] = rest.splice(index, 1, rest.at(-1));
    rest.pop();
    return mutant;
  });
}

/** Mulberry32: numbers from 0 up to 1 that follow from the seed alone. */
function randomBy(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A copy in which nothing but the mutant differs, so that the checkout stays usable. */
function copyProject() {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-mutate-'));
  for (const file of tracked()) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** What noticed the mutant, or undefined where nothing did. */
function judge({ file, start, end, after }) {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.slice(0, start) + after + text.slice(end));
  try {
    const near = join('test', dirname(file).replace(/^src\//, '')) + '/';
    if (!passes('node_modules/typescript/bin/tsc', '--noEmit')) return 'compiler';
    if (
      file.endsWith('x') &&
      !passes('node_modules/typescript/bin/tsc', '--noEmit', '-p', 'src/doors/console')
    ) {
      return 'compiler';
    }
    if (!tests('--mode', 'fast', near)) return 'near';
    if (!tests('--mode', 'fast')) return 'fast';
    if (options.slow && !tests(near.split('/').slice(0, 3).join('/'), '--exclude', '**/!(*.slow).test.ts'))
      return 'slow';
    return undefined;
  } finally {
    writeFileSync(path, text);
  }
}

function tests(...args) {
  return passes('node_modules/vitest/vitest.mjs', 'run', '--bail', '1', '--passWithNoTests', ...args);
}

/** Whether a program ends well within ten minutes: a mutant may loop for ever. */
function passes(...args) {
  const stdio = options.only === undefined ? 'ignore' : 'inherit';
  const { status } = spawnSync(process.execPath, args, {
    cwd: copy,
    stdio,
    timeout: 600_000,
    killSignal: 'SIGKILL',
  });
  return status === 0;
}

function brief(text) {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
}
