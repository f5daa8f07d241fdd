import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import type { Model } from '../src/core/model/model.ts';
import { startRun } from '../src/core/lifecycle/start.ts';
import { newRunId } from '../src/core/records/run-id.ts';
import { answer, delegate, isLead, turnsSoFar, withPipeline } from './delegating.ts';
import { median, type Row } from './row.ts';

/** As many as an inline Map runs at once. */
const SUB_AGENTS = 40;
const SUB_AGENT_MS = 500;
/** Of each kind, one after another. */
const RUNS = 7;

const Told = v.pipe(v.string(), v.parseJson(), v.object({ type: v.string(), timestamp: v.number() }));

/** A run whose sub-agents are at work at once, with and without `cadre watch` in another process. */
export async function measureWatching(): Promise<Row[]> {
  let begin: (() => Promise<void>) | undefined;
  const model: Model = {
    async send(request) {
      if (isLead(request)) {
        if (turnsSoFar(request) > 0) return answer();
        await begin?.();
        return delegate(SUB_AGENTS);
      }
      await delay(SUB_AGENT_MS);
      return answer();
    },
  };
  return withPipeline(model, async (pipeline, folder) => {
    const timed = async (setUp: (id: string) => Promise<Watcher | undefined>) => {
      let start = NaN;
      let watcher: Watcher | undefined;
      const id = newRunId('lead', Date.now());
      begin = async () => {
        watcher = await setUp(id);
        start = performance.now();
      };
      await pipeline.carryOut(id, async () => {
        await pipeline.executions.wait(await startRun(id, { agent: 'lead', prompt: 'go' }, pipeline));
      });
      const wall = performance.now() - start;
      return { wall, latencies: (await watcher?.ended()) ?? [] };
    };
    const alone: number[] = [];
    const watched: number[] = [];
    const latencies: number[] = [];
    await timed(async () => undefined);
    for (let index = 0; index < RUNS; index++) {
      alone.push((await timed(async () => undefined)).wall);
      const measured = await timed((id) => watch(id, folder));
      watched.push(measured.wall);
      latencies.push(...measured.latencies);
    }
    const what = `${SUB_AGENTS} sub-agents of ${SUB_AGENT_MS} ms, watched by another process`;
    return [
      {
        what: `${what}: from an event to its line (median)`,
        value: median(latencies),
        unit: ' ms',
        digits: 0,
        atMost: 50,
        counts: 'median',
      },
      {
        what: `${what}: wall / unwatched`,
        value: Math.min(...watched) / Math.min(...alone),
        unit: '',
        digits: 3,
        atMost: 1.03,
        counts: 'median',
      },
    ];
  });
}

interface Watcher {
  /** Milliseconds from each event of the sub-agents to when it was read. */
  ended(): Promise<number[]>;
}

/** Starts to watch a run, and returns when its first event has come. */
async function watch(id: string, folder: string): Promise<Watcher> {
  const command = join(process.cwd(), 'bin/cadre.js');
  const child = spawn(process.execPath, [command, 'watch', id, '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const latencies: number[] = [];
  const lines = createInterface(child.stdout);
  let since = Infinity;
  lines.on('line', (line) => {
    const { timestamp } = v.parse(Told, line);
    if (timestamp >= since) latencies.push(Date.now() - timestamp);
  });
  await once(lines, 'line');
  since = Date.now();
  return {
    async ended() {
      await closed;
      if (latencies.length < SUB_AGENTS * 5) throw new Error(`only ${latencies.length} events were told`);
      return latencies;
    },
  };
}
