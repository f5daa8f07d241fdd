import type { LocalPipeline } from '../src/places/local/local-pipeline.ts';
import type { Model } from '../src/core/model/model.ts';
import { answer, delegate, isLead, runLead, turnsSoFar, withPipeline } from './delegating.ts';
import type { Row } from './row.ts';

const RUNS = 10_000;
const AT_ONCE = 50;
/** How often the heap is looked at: tables in memory grow by doubling, so it goes up and down by a tenth. */
const LOOKS = 20;

/**
 * Many runs with one sub-agent each in one process. Half-way, everything that is kept of ended runs is in memory, and
 * all code is compiled: what grows from then on grows for ever, and what is slow then stays slow.
 */
export async function measureManyRuns(): Promise<Row[]> {
  const model: Model = {
    async send(request) {
      return isLead(request) && turnsSoFar(request) === 0 ? delegate(1) : answer();
    },
  };
  return withPipeline(model, async (pipeline) => {
    const looks: { seconds: number; kept: number }[] = [];
    for (let look = 0; look < LOOKS; look++) {
      const start = performance.now();
      await runMany(RUNS / LOOKS, pipeline);
      looks.push({ seconds: (performance.now() - start) / 1000, kept: keptMegabytes() });
    }
    const later = looks.slice(LOOKS / 2);
    const seconds = later.reduce((sum, look) => sum + look.seconds, 0);
    const leastKept = (some: typeof looks) => Math.min(...some.map(({ kept }) => kept));
    const halfWay = leastKept(looks.slice(LOOKS / 4, LOOKS / 2));
    const kept = leastKept(looks.slice(-LOOKS / 4));
    const peak = process.resourceUsage().maxRSS / 1024;
    const what = `${RUNS} runs of one sub-agent, ${AT_ONCE} at a time`;
    return [
      { what: `${what}: runs a second`, value: RUNS / 2 / seconds, unit: '', digits: 0, counts: 'most' },
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
