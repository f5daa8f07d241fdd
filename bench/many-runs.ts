import type { Pipeline } from '../src/cli/pipeline.ts';
import type { Model } from '../src/models/model.ts';
import { answer, delegate, isLead, runLead, turnsSoFar, withPipeline } from './delegating.ts';
import { atMost, figure, type Row } from './row.ts';

const RUNS = 1000;
const AT_ONCE = 100;

/**
 * Many runs of one sub-agent each in one process. Half-way, all that is kept in memory of runs that have ended is
 * there: what grows from then on grows for ever.
 */
export async function measureManyRuns(runs = RUNS): Promise<Row[]> {
  const model: Model = {
    async send(request) {
      return isLead(request) && turnsSoFar(request) === 0 ? delegate(1) : answer();
    },
  };
  return withPipeline(model, async (pipeline) => {
    const start = performance.now();
    await runMany(runs / 2, pipeline);
    const halfWay = keptBytes();
    await runMany(runs / 2, pipeline);
    const seconds = (performance.now() - start) / 1000;
    const kept = keptBytes();
    const peak = process.resourceUsage().maxRSS / 1024;
    const what = `${runs} runs of one sub-agent, ${AT_ONCE} at a time`;
    return [
      figure(`${what}: speed`, `${(runs / seconds).toFixed(0)} runs/s`),
      figure(`${what}: peak memory (RSS)`, `${peak.toFixed(0)} MB`),
      figure(`${what}: heap at the end`, `${(kept / 1024 ** 2).toFixed(1)} MB`),
      atMost(`${what}: heap at the end / half-way`, kept / halfWay, 1.1, ''),
    ];
  });
}

async function runMany(runs: number, pipeline: Pipeline): Promise<void> {
  let left = runs;
  const worker = async () => {
    while (left-- > 0) await runLead(pipeline);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** What cannot be thrown away. */
function keptBytes(): number {
  if (globalThis.gc === undefined) throw new Error('run with node --expose-gc');
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
