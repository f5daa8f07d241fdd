import type { LocalPipeline } from '../src/places/local/local-pipeline.ts';
import type { Model } from '../src/core/model/model.ts';
import { answer, delegate, isLead, runLead, turnsSoFar, withPipeline } from './delegating.ts';
import type { Row } from './row.ts';

const RUNS = 1000;
const AT_ONCE = 100;

/**
 * Many runs of one sub-agent each in one process. Half-way, all that is kept in memory of runs that have ended is
 * there: what grows from then on grows for ever.
 */
export async function measureManyRuns(): Promise<Row[]> {
  const model: Model = {
    async send(request) {
      return isLead(request) && turnsSoFar(request) === 0 ? delegate(1) : answer();
    },
  };
  return withPipeline(model, async (pipeline) => {
    const start = performance.now();
    await runMany(RUNS / 2, pipeline);
    const halfWay = keptMegabytes();
    await runMany(RUNS / 2, pipeline);
    const seconds = (performance.now() - start) / 1000;
    const kept = keptMegabytes();
    const peak = process.resourceUsage().maxRSS / 1024;
    const what = `${RUNS} runs of one sub-agent, ${AT_ONCE} at a time`;
    return [
      { what: `${what}: runs a second`, value: RUNS / seconds, unit: '', digits: 0, counts: 'most' },
      { what: `${what}: peak memory (RSS)`, value: peak, unit: ' MB', digits: 0, counts: 'most' },
      { what: `${what}: heap at the end`, value: kept, unit: ' MB', digits: 0, counts: 'most' },
      {
        what: `${what}: heap at the end / half-way`,
        value: kept / halfWay,
        unit: '',
        digits: 2,
        atMost: 1.1,
        counts: 'median',
      },
    ];
  });
}

async function runMany(runs: number, pipeline: LocalPipeline): Promise<void> {
  let left = runs;
  const worker = async () => {
    while (left-- > 0) await runLead(pipeline);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** The part of the heap that cannot be freed. */
function keptMegabytes(): number {
  if (globalThis.gc === undefined) throw new Error('run with node --expose-gc');
  globalThis.gc();
  return process.memoryUsage().heapUsed / 1024 ** 2;
}
