import { once } from 'node:events';
import * as v from 'valibot';
import { NO_USAGE, type Run } from '../src/core/records/run.ts';
import { timeKey } from '../src/core/records/run-id.ts';
import { seconds } from '../src/core/records/times.ts';
import { openLocalStore } from '../src/places/local/local-store.ts';
import { inProject } from './project.ts';
import type { Row } from './row.ts';
import { serveCommand } from './serving.ts';

const TREES = 100_000;
const HOUR_MS = 3_600_000;
/** So many hours are between the first tree and the last. */
const HOURS = 30 * 24;

const Answer = v.object({ next: v.optional(v.nullable(v.string())) });

/** The home of the page, its lists and its search over HTTP, in a folder of many trees, each of one run. */
export async function measureManyTrees(): Promise<Row[]> {
  return inProject({}, async (cwd) => {
    const now = Date.now();
    const writer = await openLocalStore(cwd);
    for (let tree = 0; tree < TREES; tree++) {
      const at = now - HOURS * HOUR_MS * (1 - tree / TREES);
      const run = runAt(Math.floor(at), tree);
      await writer.runs.insertRun(run);
      // The newest are under way, and every thousandth has failed.
      if (tree >= TREES - 20) continue;
      const end = { endedAt: run.startedAt, usage: { ...NO_USAGE, turns: 0 } };
      await writer.runs.updateRun(run.id, (current) =>
        tree % 1_000 === 0
          ? { ...current, ...end, status: 'failed', failure: { error: 'X', message: `disk ${tree} is full` } }
          : { ...current, ...end, status: 'succeeded' },
      );
    }
    await writer.close();
    const { server, url } = await serveCommand(cwd);
    const get = async (path: string) => v.parse(Answer, await (await fetch(`${url}/${path}`)).json());
    const time = async (...paths: readonly string[]) => {
      const start = performance.now();
      await Promise.all(paths.map(get));
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
    const { next = '' } = await get('runs');
    const page = await time(`runs?after=${encodeURIComponent(next ?? '')}`);
    const found = await time('runs?text=disk');
    server.kill('SIGINT');
    await once(server, 'close');
    const what = `a folder of ${TREES} trees`;
    const row = { unit: ' ms', digits: 0, counts: 'least' } as const;
    return [
      {
        ...row,
        what: `${what}: everything that home asks a new server for`,
        value: home,
        atMost: 1000,
      },
      { ...row, what: `${what}: the next page of the list`, value: page, atMost: 100 },
      { ...row, what: `${what}: a page of words that few of them have`, value: found },
    ];
  });
}

function runAt(at: number, tree: number): Run {
  const id = `agent${tree % 20}-${timeKey(at)}${tree.toString(36).padStart(6, '0')}`;
  return {
    id,
    root: id,
    path: '',
    agent: `agent${tree % 20}`,
    model: 'bench/model',
    depth: 0,
    status: 'running',
    startedAt: new Date(at).toISOString(),
    task: `Look at the archive of customer ${tree}`,
    holder: 1,
    execution: 'arn',
    timeout: seconds(120),
    usage: NO_USAGE,
  };
}
