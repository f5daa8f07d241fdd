// A copy of the project in which mutants are tried, so that the checkout stays usable.
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
import { dirname, join, relative } from 'node:path';
import { withMarks } from './marks.mjs';

export const root = join(import.meta.dirname, '../..');
const PAGE = 'src/doors/console';
const REACH = 'scripts/mutate/reach.mjs';
/** What fast tests that run the bundles of functions import; of the code in these, they import nothing. */
const DEPLOYED = 'test/functions/deployed.ts';

/** The files that git knows, with those that are new and not ignored. */
export function tracked(...folders) {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--', ...folders];
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(root, file)))
    .sort();
}

export class Copy {
  folder = mkdtempSync(join(tmpdir(), 'cadre-mutate-'));
  #stdio;

  /** @param stdio where the output of the compiler and of tests goes: 'ignore' or 'inherit' */
  constructor(stdio) {
    this.#stdio = stdio;
    for (const file of tracked()) {
      mkdirSync(dirname(join(this.folder, file)), { recursive: true });
      cpSync(join(root, file), join(this.folder, file));
    }
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
    execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: this.folder, stdio: 'inherit' });
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Carries `look` out while files have other texts, given by their paths. */
  with(texts, look) {
    const before = [...texts.keys()].map((file) => [file, readFileSync(join(this.folder, file))]);
    for (const [file, text] of texts) writeFileSync(join(this.folder, file), text);
    try {
      return look();
    } finally {
      for (const [file, text] of before) writeFileSync(join(this.folder, file), text);
    }
  }

  /** The mutants that the compiler refuses. It looks at one of each file at once, which takes as long as one alone. */
  refused(mutants) {
    const rounds = grouped(mutants, ({ file }) => file);
    const most = Math.max(0, ...[...rounds.values()].map((each) => each.length));
    return new Set(
      Array.from({ length: most }, (_, round) =>
        this.#refusedOf([...rounds.values()].flatMap((each) => each[round] ?? [])),
      ).flat(),
    );
  }

  /**
   * @param mutants of different files
   * @param faulty the files in which the compiler finds faults, with all of them
   */
  #refusedOf(mutants, faulty = this.#faultyWith(mutants)) {
    if (faulty === undefined) return [];
    if (mutants.length === 1) return mutants;
    const [blamed, others] = parted(mutants, ({ file }) => faulty.has(file));
    if (blamed.length === 0) return halves(others).flatMap((each) => this.#refusedOf(each));
    const left = this.#faultyWith(others);
    // What another one has done to its file may have been taken for its own.
    const [doubtful, sure] = parted(blamed, ({ file }) => left?.has(file) === true);
    return [
      ...sure,
      ...doubtful.flatMap((mutant) => this.#refusedOf([mutant])),
      ...this.#refusedOf(others, left),
    ];
  }

  compiles() {
    return ['.', PAGE].every((project) => this.#compile(project).status === 0);
  }

  /** The files in which the compiler finds faults with these mutants; undefined if it takes them. */
  #faultyWith(mutants) {
    if (mutants.length === 0) return undefined;
    const hasPage = mutants.some(({ file }) => file.startsWith(`${PAGE}/`));
    const texts = new Map(mutants.map((mutant) => [mutant.file, this.mutated(mutant)]));
    const found = this.with(texts, () => [this.#compile('.'), ...(hasPage ? [this.#compile(PAGE)] : [])]);
    if (found.every(({ status }) => status === 0)) return undefined;
    return new Set(found.flatMap(({ faulty }) => faulty));
  }

  /** What was compiled before is kept, but not in `node_modules`, which the checkout uses, too. */
  #compile(project) {
    const kept = join(this.folder, 'dist', `${project.replaceAll('/', '-')}.tsbuildinfo`);
    const args = ['--noEmit', '-p', project, '--incremental', '--tsBuildInfoFile', kept, '--pretty', 'false'];
    const { status, stdout } = this.#run('node_modules/typescript/bin/tsc', args, { stdout: 'pipe' });
    const errors = stdout.matchAll(/^(\S.*)\(\d+,\d+\): error /gm);
    return { status, faulty: [...errors].map(([, file]) => file) };
  }

  mutated({ file, start, end, after }) {
    const text = readFileSync(join(this.folder, file), 'utf8');
    return text.slice(0, start) + after + text.slice(end);
  }

  /**
   * Carries out all fast tests that import a mutant's file, and those that run bundles, each in a process of its own, in
   * which all is loaded anew.
   *
   * @returns the test files that come to the code of each mutant, and those that fail as it is
   */
  reached(mutants) {
    const places = mutants.map((mutant, mark) => ({ ...mutant, mark }));
    const texts = [...grouped(places, ({ file }) => file)].map(([file, marks]) => [
      file,
      withMarks(file, readFileSync(join(this.folder, file), 'utf8'), marks),
    ]);
    const files = new Set(mutants.map(({ file }) => file));
    const args = ['--run', '--mode', 'fast', '--isolate', `--execArgv=--import=${join(this.folder, REACH)}`];
    const broken = this.with(new Map(texts), () => {
      const first = this.#brokenIn(['related', DEPLOYED, ...files, ...args], { CADRE_TEST_BUILD: 'yes' });
      // A busy machine fails a few: what fails again is broken.
      return first.size === 0 ? first : this.#brokenIn(['run', ...first.keys(), ...args]);
    });
    const notes = readFileSync(join(this.folder, 'dist/reached'), 'utf8').split('\n').filter(Boolean);
    const filesOf = grouped(new Set(notes), (note) => Number.parseInt(note, 10));
    const reachedBy = mutants.map((_, mark) =>
      (filesOf.get(mark) ?? [])
        .map((note) => relative(this.folder, note.slice(note.indexOf(' ') + 1)))
        .filter((file) => !broken.has(file)),
    );
    return { broken, reachedBy };
  }

  /** The test files that fail, with why the first of their tests does. */
  #brokenIn(args, env = {}) {
    const { failed } = this.tests(args, env, 3_600_000);
    const sure = failed.filter(({ isOverdue }) => !isOverdue);
    return new Map(sure.toReversed().map(({ file, why }) => [file, why]));
  }

  /**
   * @returns whether the tests came to an end that can be read, and which failed; `isOverdue` are those that only took too
   *   long
   */
  tests(args, env = {}, timeout = 600_000) {
    const report = join(this.folder, 'dist', 'tests.json');
    rmSync(report, { force: true });
    const reporters = ['--reporter', 'default', '--reporter', 'json', '--outputFile', report];
    // Vitest empties a cache in `node_modules` under the tests that run in the checkout, and these empty it under ours.
    const cache = ['--experimental.fsModuleCachePath', join(this.folder, 'dist/modules')];
    const { status } = this.#run(
      'node_modules/vitest/vitest.mjs',
      [...args, '--passWithNoTests', ...reporters, ...cache],
      { env: { ...process.env, CADRE_TEST_BUILD: 'no', ...env }, timeout },
    );
    if (status === 0) return { ended: true, failed: [] };
    if (status === null || !existsSync(report)) return { ended: false, failed: [] };
    const files = JSON.parse(readFileSync(report, 'utf8')).testResults;
    const failed = files.flatMap(({ name, message, assertionResults }) => {
      const file = relative(this.folder, name);
      const tests = assertionResults.filter((test) => test.status === 'failed');
      const whys = tests.map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages[0] ?? ''}`);
      return [...whys, ...(message === '' ? [] : [message])].map((why) => ({
        file,
        why,
        isOverdue: /timed out in \d+ms|Timeout starting/.test(why),
      }));
    });
    return { ended: failed.length > 0, failed };
  }

  /** Ends well within its time, or is ended then, with a status of null: a mutant may loop for ever. */
  #run(program, args, { env = process.env, stdout = this.#stdio, timeout = 600_000 } = {}) {
    const ran = spawnSync(process.execPath, [program, ...args], {
      cwd: this.folder,
      env,
      stdio: ['ignore', stdout, this.#stdio],
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
      timeout,
      killSignal: 'SIGKILL',
      // In a group of its own, so that its workers can be ended with it: one that loops does not hear that it is alone.
      detached: true,
    });
    if (ran.status === null) killGroup(ran.pid);
    return ran;
  }
}

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // None is left.
    if (error.code !== 'ESRCH') throw error;
  }
}

function parted(list, isOne) {
  return [list.filter(isOne), list.filter((each) => !isOne(each))];
}

function halves(list) {
  const half = Math.ceil(list.length / 2);
  return [list.slice(0, half), list.slice(half)];
}

function grouped(list, keyOf) {
  const groups = new Map();
  for (const each of list) groups.set(keyOf(each), [...(groups.get(keyOf(each)) ?? []), each]);
  return groups;
}
