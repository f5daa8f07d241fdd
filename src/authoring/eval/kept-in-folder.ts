import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import * as v from 'valibot';
import { EvalReport, Try } from '../../core/reports/eval-report.ts';
import { isRunId, newRunId } from '../../core/records/run-id.ts';
import { parseJson } from '../../json.ts';
import { STORE_FOLDER } from '../../places/local/local-store.ts';
import { checkKind } from '../../places/store/own-path.ts';
import { copyFolder } from './copy-folder.ts';
import type { KeptEvals, EvalSession } from './kept.ts';
import { trimFolder } from './trim-folder.ts';

/** In the folder of the store. */
const FOLDER = 'evals';

/** How the folders are called in which runs work until their evaluation has ended. */
const WORK = 'cadre-eval-';

const Header = v.object({ digest: v.string(), id: v.string(), started_at: v.string(), work: v.string() });
const Line = v.union([
  v.object({ begun: v.string(), run: v.pipe(v.string(), v.check(isRunId)) }),
  v.object({ finished: v.string(), try: Try }),
]);
const Played = v.object({ run: v.pipe(v.string(), v.check(isRunId)) });
const Verdict = v.object({ run: v.string(), score: v.number(), reason: v.string() });

/**
 * Keeps evaluations in a project's `.cadre/evals/`: one file for each answer that need not be paid again, the files that
 * runs have left, and for each evaluation its report or, until it has ended, a journal of what it has done.
 */
export function keptInFolder(cwd: string): KeptEvals {
  const folder = join(cwd, STORE_FOLDER, FOLDER);
  const [cache, workspaces, reports] = ['cache', 'workspaces', 'reports'].map((name) => join(folder, name));
  const own = (path: string) => {
    for (const each of [join(cwd, STORE_FOLDER), folder, path]) checkKind(each, 'folder');
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  };
  const entry = (key: string) => join(own(cache ?? folder), `${key}.json`);
  const workspace = (run: string) => join(own(workspaces ?? folder), run);

  return {
    played: async (key) => (await readChecked(entry(key), Played))?.run,
    keepPlayed: (key, run) => write(entry(key), { run }),
    judged: once(async (key, ask) => {
      const before = await readChecked(entry(key), Verdict);
      if (before !== undefined) return before;
      const said = await ask();
      await write(entry(key), said);
      return said;
    }),
    async keepWorkspace(run, from) {
      const to = workspace(run);
      await rm(to, { recursive: true, force: true });
      await move(from, to);
      return to;
    },
    async workspaceOf(run) {
      const kept = workspace(run);
      return lstatSync(kept, { throwIfNoEntry: false })?.isDirectory() === true ? kept : undefined;
    },
    async begin(digest, file, now) {
      for (const each of [cache, workspaces, reports]) await trimFolder(own(each ?? folder), now);
      return openSession(own(reports ?? folder), digest, file, now);
    },
  };
}

/** Has those who ask for the same at once wait for one answer. */
export function once(find: KeptEvals['judged']): KeptEvals['judged'] {
  const asked = new Map<string, ReturnType<KeptEvals['judged']>>();
  return (key, ask) => {
    const known = asked.get(key) ?? find(key, ask).finally(() => asked.delete(key));
    asked.set(key, known);
    return known;
  };
}

/** How many reports are read for a list. */
const LISTED = 50;

/** The newest reports of a project's evaluations, the newest first. @param cwd absolute */
export async function keptReports(cwd: string): Promise<EvalReport[]> {
  const folder = join(cwd, STORE_FOLDER, FOLDER, 'reports');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
  // Ids end in a key that begins with the time.
  const keyOf = (name: string) => name.slice(name.lastIndexOf('-') + 1);
  const newest = names.sort((one, other) => (keyOf(one) < keyOf(other) ? 1 : -1)).slice(0, LISTED);
  const reports = await Promise.all(newest.map((name) => readChecked(join(folder, name), EvalReport)));
  return reports.filter((report) => report !== undefined);
}

function openSession(folder: string, digest: string, file: string, now: number): EvalSession {
  const before = brokenOff(folder, digest);
  const id = before?.header.id ?? newRunId(basename(file, '.toml'), now);
  const startedAt = before?.header.started_at ?? new Date(now).toISOString();
  const work = before?.header.work ?? mkdtempSync(join(tmpdir(), WORK));
  const journal = join(folder, `${id}.jsonl`);
  const note = (line: object) => appendFileSync(journal, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  if (before === undefined) note({ digest, id, started_at: startedAt, work });
  const lines = before?.lines ?? [];
  const begun = new Map(lines.flatMap((line) => ('begun' in line ? [[line.begun, line.run] as const] : [])));
  const finished = new Map(
    lines.flatMap((line) => ('finished' in line ? [[line.finished, line.try] as const] : [])),
  );
  return {
    id,
    startedAt,
    finished: (at) => finished.get(at),
    begun: (at) => begun.get(at),
    workOf: (run) => join(work, run),
    begin: (at, run) => note({ begun: at, run }),
    finish: (at, result) => note({ finished: at, try: result }),
    async end(report) {
      await write(join(folder, `${id}.json`), report);
      await rm(journal, { force: true });
      await rm(work, { recursive: true, force: true });
    },
  };
}

/** The newest journal of an evaluation that has not ended; others of the same file are of other bytes. */
function brokenOff(folder: string, digest: string) {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .sort();
  for (const name of names.toReversed()) {
    const path = join(folder, name);
    const [first = '', ...rest] = readFileSync(path, 'utf8').split('\n');
    const header = parsed(first, Header);
    if (header === undefined) rmSync(path);
    if (header?.digest !== digest || !isOwnFolder(header.work)) continue;
    // The last line may be cut: its process died while it wrote.
    return { header, lines: rest.flatMap((line) => parsed(line, Line) ?? []) };
  }
  return undefined;
}

/**
 * Whether a folder is one that an evaluation made for itself, as it is removed in the end: others may write where temporary
 * folders are, and a journal may have come with a repository.
 */
function isOwnFolder(path: string): boolean {
  if (dirname(path) !== tmpdir() || !basename(path).startsWith(WORK)) return false;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === process.getuid?.();
}

async function readChecked<T>(path: string, schema: v.GenericSchema<unknown, T>): Promise<T | undefined> {
  return parsed(await readFile(path, 'utf8').catch(() => ''), schema);
}

function parsed<T>(text: string, schema: v.GenericSchema<unknown, T>): T | undefined {
  try {
    const result = v.safeParse(schema, parseJson(text));
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}

async function write(path: string, value: unknown): Promise<void> {
  const beside = `${path}.${randomUUID()}.tmp`;
  await writeFile(beside, JSON.stringify(value), { mode: 0o600 });
  await rename(beside, path);
}

/** Temporary folders may lie on another file system. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch {
    await mkdir(to, { mode: 0o700 });
    await copyFolder(from, to);
    await rm(from, { recursive: true, force: true });
  }
}
