import { NO_USAGE, type Run } from '../src/core/records/run.ts';
import { timeKey } from '../src/core/records/run-id.ts';
import { seconds } from '../src/core/records/times.ts';
import { openLocalStore } from '../src/places/local/local-store.ts';
import { anOpened, aTurn } from '../test/fixtures/records.ts';

export const HOUR_MS = 3_600_000;
/** So many hours are between the first tree and the last. */
const HOURS = 30 * 24;
const AGENTS = 20;
/** The newest are under way. */
const OPEN = 20;
/** The newest trees are the same in every folder, so that narrowed lists have the same answer everywhere. */
const SAME = 100;

/** The agent of the first tree alone. */
export const RARE_AGENT = 'archivist';
/** How a few of the newest trees ended, and no others. */
export const RARE_STATUS = 'timed_out';

/** CADRE_BENCH_TREES makes large folders smaller, to look at one thing soon. */
export function treesOf(trees: number): number {
  return Number(process.env['CADRE_BENCH_TREES'] ?? trees);
}

/**
 * Stores this many trees of one run each in a folder, over the last 30 days.
 * @param text the task and the answer of each; absent: only records are stored
 * @returns the ids of their tops, the newest first
 */
export async function keepTrees(cwd: string, trees: number, now: number, text?: string): Promise<string[]> {
  const { runs, close } = await openLocalStore(cwd);
  const ids: string[] = [];
  for (let age = trees - 1; age >= 0; age--) {
    const at = Math.floor(now - (HOURS * HOUR_MS * age) / trees);
    const run = runAt(at, age, age === trees - 1 ? RARE_AGENT : `agent${age % AGENTS}`);
    ids.push(run.id);
    if (text !== undefined) {
      await runs.saveRequest(run.id, { agent: run.agent, prompt: text });
      await runs.saveOpened(run.id, anOpened({ root: run.id, agent: run.agent, message: text }));
      await runs.saveTurn(run.id, aTurn({ answer: { text } }));
    }
    await runs.insertRun(run);
    const end = endOf(age);
    if (end === undefined) continue;
    const usage = { ...NO_USAGE, turns: text === undefined ? 0 : 1 };
    await runs.updateRun(run.id, (current) => ({ ...current, ...end, endedAt: run.startedAt, usage }));
  }
  await close();
  return ids.toReversed();
}

/** @param age how many trees are newer */
function endOf(age: number): Pick<Run, 'status' | 'failure'> | undefined {
  if (age < OPEN) return undefined;
  if (age < SAME) return { status: age % 10 === 0 ? RARE_STATUS : 'succeeded' };
  if (age % 100 > 0) return { status: 'succeeded' };
  return { status: 'failed', failure: { error: 'X', message: `disk ${age} is full` } };
}

function runAt(at: number, age: number, agent: string): Run {
  const id = `${agent}-${timeKey(at)}${age.toString(36).padStart(6, '0')}`;
  return {
    id,
    root: id,
    path: '',
    agent,
    model: 'bench/model',
    depth: 0,
    status: 'running',
    startedAt: new Date(at).toISOString(),
    task: `Look at the archive of customer ${age}`,
    holder: 1,
    execution: 'arn',
    timeout: seconds(120),
    usage: NO_USAGE,
  };
}
