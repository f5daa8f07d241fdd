import { once } from 'node:events';
import * as v from 'valibot';
import { COMMAND, cpuTimeOf } from './node-process.ts';
import { inProject } from './project.ts';
import type { Row } from './row.ts';
import { cpuTimeOfServing, serveCommand } from './serving.ts';
import { HOUR_MS, keepTrees, RARE_AGENT, RARE_STATUS, treesOf } from './stored-trees.ts';

const TREES = treesOf(100_000);
const FEW_TREES = 100;
const PROCESSES = 7;
const REQUESTS = 50;

const WHAT = `a folder of ${TREES} trees`;

const Answer = v.object({ next: v.optional(v.nullable(v.string())) });

/** A folder of many trees, each of one run: what the page asks for, and commands and lists beside a folder of few. */
export async function measureManyTrees(): Promise<Row[]> {
  const now = Date.now();
  return inProject({}, (few) =>
    inProject({}, async (many) => {
      const folders = [
        { cwd: few, ids: await keepTrees(few, FEW_TREES, now) },
        { cwd: many, ids: await keepTrees(many, TREES, now) },
      ] as const;
      const commands = await measureCommands(...folders);
      const ofFew = await serveCommand(few);
      const ofMany = await serveCommand(many);
      const page = await measurePage(ofMany.url, now);
      const lists = await measureLists(ofFew.url, ofMany.url);
      for (const { server } of [ofFew, ofMany]) {
        server.kill('SIGINT');
        await once(server, 'close');
      }
      return [...page, ...lists, ...commands];
    }),
  );
}

async function measurePage(url: string, now: number): Promise<Row[]> {
  const time = async (...paths: readonly string[]) => {
    const start = performance.now();
    await Promise.all(paths.map((path) => get(url, path)));
    return performance.now() - start;
  };
  const since = new Date(now - 8 * 24 * HOUR_MS).toISOString();
  const failures = ['failed', 'timed_out', 'interrupted'].map(
    (status) => `runs?status=${status}&since=${since}&limit=50`,
  );
  // As the page asks for them, all at once.
  const home = await time(
    'agents',
    'questions',
    'runs?limit=50',
    'runs?status=running&limit=6',
    ...failures,
    'costs?by=day,agent&since=14d',
  );
  const { next = '' } = await get(url, 'runs');
  const page = await time(`runs?after=${encodeURIComponent(next ?? '')}`);
  const found = await time('runs?text=disk');
  // The first who asks adds up the days that are over.
  const costs = 'costs?by=day&since=30d';
  await time(costs);
  const addedUp = await time(costs);
  const row = { unit: ' ms', digits: 0, counts: 'least' } as const;
  return [
    { ...row, what: `${WHAT}: everything that home asks a new server for`, value: home, atMost: 1000 },
    { ...row, what: `${WHAT}: the next page of the list`, value: page, atMost: 100 },
    { ...row, what: `${WHAT}: a page of words that few of them have`, value: found },
    { ...row, what: `${WHAT}: the costs of 30 days, by day`, value: addedUp, atMost: 200 },
  ];
}

/** The lists of a server that is at work, whose newest trees are the same in both folders. */
async function measureLists(few: string, many: string): Promise<Row[]> {
  const lists: [string, string][] = [
    ['the first page of the list', 'runs'],
    ['the runs of an agent', 'runs?agent=agent7&limit=5'],
    ['the one run of an agent, the oldest of all', `runs?agent=${RARE_AGENT}`],
    ['the runs under way', 'runs?status=running'],
    [`the few runs that ended as ${RARE_STATUS}`, `runs?status=${RARE_STATUS}`],
  ];
  const rows: Row[] = [];
  for (const [what, path] of lists) {
    const timed = async (url: string) => {
      const start = performance.now();
      await get(url, path);
      return performance.now() - start;
    };
    const times: [number, number][] = [];
    for (let index = 0; index < REQUESTS; index++) times.push([await timed(few), await timed(many)]);
    rows.push(ratioRow(`over HTTP: ${what}`, times));
  }
  return rows;
}

interface BenchFolder {
  cwd: string;
  /** Of the tops of all trees, the newest first. */
  ids: readonly string[];
}

/** Processes of commands in either folder, one after another. */
async function measureCommands(few: BenchFolder, many: BenchFolder): Promise<Row[]> {
  const commands: [string, (folder: BenchFolder) => readonly string[]][] = [
    ['cadre runs', () => ['runs']],
    ['cadre runs --agent', () => ['runs', '--agent', 'agent7', '--limit', '5']],
    ['cadre runs --agent, of the oldest run alone', () => ['runs', '--agent', RARE_AGENT]],
    ['cadre runs --status', () => ['runs', '--status', RARE_STATUS]],
    ['cadre show last', () => ['show', 'last']],
    ['cadre show <beginning of an id>', ({ ids }) => ['show', ids[FEW_TREES / 2]?.slice(0, -3) ?? '']],
  ];
  const pairs = async (timed: (folder: BenchFolder) => number | Promise<number>) => {
    const times: [number, number][] = [];
    for (let index = 0; index < PROCESSES; index++) times.push([await timed(few), await timed(many)]);
    return times;
  };
  const rows: Row[] = [];
  for (const [what, words] of commands) {
    const timed = (folder: BenchFolder) => cpuTimeOf([COMMAND, ...words(folder)], { cwd: folder.cwd });
    rows.push(ratioRow(`CPU time of ${what}`, await pairs(timed)));
  }
  const served = await pairs(({ cwd }) => cpuTimeOfServing(cwd));
  return [...rows, ratioRow('CPU time of cadre serve that is ended at once', served)];
}

/** The least time counts in either folder, since other work can only add to it. */
function ratioRow(what: string, times: readonly [few: number, many: number][]): Row {
  const few = Math.min(...times.map(([time]) => time));
  const many = Math.min(...times.map(([, time]) => time));
  return {
    what: `${what}, with ${TREES} trees / with ${FEW_TREES}`,
    value: many / few,
    unit: '',
    digits: 2,
    atMost: 1.3,
    counts: 'median',
  };
}

async function get(url: string, path: string) {
  return v.parse(Answer, await (await fetch(`${url}/${path}`)).json());
}
