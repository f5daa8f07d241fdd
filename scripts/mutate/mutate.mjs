// Draws small faults from the sources by a seed, puts one after the other into a copy of the project, and says which of
// them neither the compiler nor a test notices.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
const found = new Map();
try {
  if (!['.', 'src/doors/console'].every(compiles))
    throw new Error('the compiler refuses the project as it is');
  for (const [index, mutant] of drawn.entries()) {
    if (options.only !== undefined && index + 1 !== options.only) continue;
    const { verdict, why } = judge(mutant);
    found.set(verdict, (found.get(verdict) ?? 0) + 1);
    const { file, line, before, after } = mutant;
    console.log(`${index + 1}  ${verdict}  ${file}:${line}  ${brief(before)} -> ${brief(after)}`);
    if (why !== undefined) console.log(`     ${brief(why, 110)}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
const counts = [...found].map(([verdict, count]) => `${count} ${verdict}`);
console.log(`seed ${options.seed}, of ${drawn.length}: ${counts.join(', ')}`);

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
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: folder, stdio: 'inherit' });
  return folder;
}

/** What noticed the mutant, and, for a test, how. */
function judge({ file, start, end, after }) {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.slice(0, start) + after + text.slice(end));
  try {
    if (!compiles('.') || (file.endsWith('x') && !compiles('src/doors/console')))
      return { verdict: 'compiler' };
    const near = nearest(file);
    return (
      failure('near', ['run', near], '--mode', 'fast') ??
      failure('related', ['related', '--run', file], '--mode', 'fast') ??
      (options.slow
        ? failure('slow', ['run', wingOf(near), '--exclude', '**/!(*.slow).test.ts'])
        : undefined) ?? {
        verdict: 'SURVIVED',
      }
    );
  } finally {
    writeFileSync(path, text);
  }
}

/** What was compiled before is kept, but not in `node_modules`, which the checkout uses, too. */
function compiles(project) {
  const kept = join(copy, 'dist', `${project.replaceAll('/', '-')}.tsbuildinfo`);
  const args = ['--noEmit', '-p', project, '--incremental', '--tsBuildInfoFile', kept];
  return run('node_modules/typescript/bin/tsc', args).status === 0;
}

/** The folder in `test/` that mirrors the file's, or the closest that there is above it. */
function nearest(file) {
  let folder = join('test', dirname(file).replace(/^src\//, ''));
  while (!existsSync(join(root, folder))) folder = dirname(folder);
  return `${folder}/`;
}

function wingOf(folder) {
  return folder.split('/').slice(0, 3).join('/');
}

/**
 * Tests up to the first that fails.
 *
 * @returns what failed; where that is only a limit of time, nobody knows whether the mutant or a busy machine is to blame.
 *   Undefined if all pass
 */
function failure(verdict, args, ...more) {
  const report = join(copy, 'dist', 'tests.json');
  rmSync(report, { force: true });
  // Only slow tests run bundles: building them costs more than most tests.
  const env = { ...process.env, CADRE_TEST_BUILD: verdict === 'slow' ? 'yes' : 'no' };
  const flags = [
    '--bail',
    '1',
    '--passWithNoTests',
    '--reporter',
    'default',
    '--reporter',
    'json',
    '--outputFile',
    report,
  ];
  const { status } = run('node_modules/vitest/vitest.mjs', [...args, ...more, ...flags], env);
  if (status === 0) return undefined;
  if (status === null || !existsSync(report)) return { verdict: 'TIMED OUT', why: 'the tests did not end' };
  const files = JSON.parse(readFileSync(report, 'utf8')).testResults;
  const failed = files.flatMap(({ assertionResults }) =>
    assertionResults.filter((test) => test.status === 'failed'),
  );
  const whys = [
    ...failed.map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages[0] ?? ''}`),
    ...files.flatMap(({ message }) => (message === '' ? [] : [message])),
  ];
  const why = whys.find((each) => !/timed out in \d+ms/.test(each));
  return why === undefined ? { verdict: 'TIMED OUT', why: whys[0] ?? 'no test failed' } : { verdict, why };
}

/** Ends well within ten minutes, or is ended then, with a status of null: a mutant may loop for ever. */
function run(program, args, env = process.env) {
  const stdio = options.only === undefined ? 'ignore' : 'inherit';
  const limits = { timeout: 600_000, killSignal: 'SIGKILL' };
  return spawnSync(process.execPath, [program, ...args], { cwd: copy, stdio, env, ...limits });
}

function brief(text, most = 60) {
  const line = text.replace(/\s+/g, ' ');
  return line.length > most ? `${line.slice(0, most - 3)}...` : line;
}
