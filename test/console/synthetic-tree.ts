import type { Run, RunStatus } from '../../src/runs/run.ts';
import type { RunStore } from '../../src/runs/ports.ts';
import { newRunId, treeKey } from '../../src/runs/run-id.ts';
import { BEGUN_RUN } from '../fixtures/records.ts';

/** A tree to be written straight to a store. */
export interface SyntheticTree {
  top: string;
  runs: Run[];
}

const COORDINATORS = 24;
const SECOND = 1_000;

/**
 * A tree of so many agents: a lead, its coordinators and their workers, with what they used and when. A few have failed.
 * @param start milliseconds since 1970
 */
export function syntheticTree(agents: number, start: number, status: RunStatus = 'succeeded'): SyntheticTree {
  const top = newRunId('lead', start);
  const runs: Run[] = [record(top, top, '', 0, { agent: 'lead', start, seconds: 600, status })];
  const each = Math.ceil((agents - 1 - COORDINATORS) / COORDINATORS);
  for (let index = 0; index < COORDINATORS && runs.length < agents; index++) {
    const path = `t1c${index + 1}`;
    const begin = start + 5 * SECOND + index * 12 * SECOND;
    const parent = { run: top, turn: 1, call: index + 1 };
    const id = idOf('coordinator', top, path);
    runs.push(record(id, top, path, 1, { agent: 'coordinator', start: begin, seconds: 300, parent, status }));
    for (let worker = 0; worker < each && runs.length < agents; worker++) {
      const below = `${path}_t1c${worker + 1}`;
      const hasFailed = (index * each + worker) % 31 === 30;
      runs.push(
        record(idOf('worker', top, below), top, below, 2, {
          agent: 'worker',
          start: begin + 2 * SECOND + worker * 4 * SECOND,
          seconds: 20 + ((index + worker) % 7) * 10,
          parent: { run: id, turn: 1, call: worker + 1 },
          status: hasFailed ? 'failed' : status,
        }),
      );
    }
  }
  return { top, runs };
}

/** Writes it, as the runs themselves would have. */
export async function keep({ runs }: SyntheticTree, store: RunStore): Promise<void> {
  for (const run of runs) await store.insertRun(run);
}

function idOf(agent: string, top: string, path: string): string {
  return `${agent}-${treeKey(top)}-${path}`;
}

interface Figures {
  agent: string;
  start: number;
  seconds: number;
  status: RunStatus;
  parent?: Run['parent'];
}

function record(id: string, root: string, path: string, depth: number, figures: Figures): Run {
  const { agent, start, seconds, status, parent } = figures;
  return {
    ...BEGUN_RUN,
    id,
    root,
    path,
    depth,
    agent,
    ...(parent !== undefined && { parent }),
    model: 'anthropic/claude-sonnet-4-5',
    status,
    task: `${agent}: look into part ${path || 'one to all'} of the report`,
    startedAt: new Date(start).toISOString(),
    ...(status !== 'running' && { endedAt: new Date(start + seconds * SECOND).toISOString() }),
    usage: { turns: 2, toolCalls: 3, inputTokens: 2_000, outputTokens: 150, nanoUsd: 8_250_000 },
    ...(status === 'failed' && { failure: { error: 'ModelError', message: 'server: no answer in time' } }),
  };
}
