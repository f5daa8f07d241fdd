import * as v from 'valibot';
import type { Model } from '../src/core/model/model.ts';
import { answer, runLead, withPipeline } from './delegating.ts';
import type { Row } from './row.ts';
import { serveFolder } from './serving.ts';

/** Of each kind, by turns, after as many that do not count. */
const RUNS = 200;

const Completion = v.object({ choices: v.array(v.object({ message: v.object({ content: v.string() }) })) });

/** The duration of a run that is requested over `/v1/chat/completions`, and in the process itself. */
export async function measureOpenAi(): Promise<Row[]> {
  const model: Model = { send: () => Promise.resolve(answer()) };
  return withPipeline(model, async (pipeline, cwd, folder) => {
    const server = await serveFolder(folder, cwd);
    const complete = async () => {
      const response = await fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'cadre/lead',
          messages: [{ role: 'user', content: 'Find out what matters' }],
        }),
      });
      v.parse(Completion, await response.json());
    };
    const direct: number[] = [];
    const asked: number[] = [];
    for (let index = 0; index < 2 * RUNS; index++) {
      const taken = { direct: await timed(() => runLead(pipeline)), asked: await timed(complete) };
      if (index < RUNS) continue;
      direct.push(taken.direct);
      asked.push(taken.asked);
    }
    await server.close();
    return [
      {
        what: 'a run of one turn over /v1/chat/completions: more than without',
        value: Math.min(...asked) - Math.min(...direct),
        unit: ' ms',
        digits: 2,
        atMost: 5,
        counts: 'least',
      },
    ];
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
