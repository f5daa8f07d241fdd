import * as v from 'valibot';
import type { Model } from '../src/core/model/model.ts';
import { answer, withPipeline } from './delegating.ts';
import type { Row } from './row.ts';
import { serveFolder } from './serving.ts';

/** One after another. */
const RUNS = 50;

const Started = v.object({ run_id: v.string() });

/** How long the first word of a first turn takes from the model to a client that follows the run on the same server. */
export async function measureFirstWord(): Promise<Row[]> {
  let said = NaN;
  let isRead = () => {};
  let follows = () => {};
  const model: Model = {
    async send(_request, _signal, onDelta) {
      // Nobody watched when the turn began, and somebody does when the first word comes.
      await new Promise<void>((resolve) => (follows = resolve));
      const read = new Promise<void>((resolve) => (isRead = resolve));
      said = performance.now();
      onDelta?.({ type: 'text', text: 'First' });
      await read;
      return answer();
    },
  };
  return withPipeline(model, async (_, cwd, folder) => {
    const server = await serveFolder(folder, cwd);
    const latencies: number[] = [];
    for (let index = 0; index < RUNS; index++) {
      const response = await fetch(`${server.url}/agents/lead/runs`, { method: 'POST' });
      const { run_id } = v.parse(Started, await response.json());
      const events = await fetch(`${server.url}/runs/${run_id}/events`);
      let text = '';
      for await (const piece of events.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += piece;
        if (text.includes('STEP_STARTED')) follows();
        if (!text.includes('"delta":"First"')) continue;
        latencies.push(performance.now() - said);
        isRead();
        break;
      }
    }
    await server.close();
    if (latencies.length < RUNS) throw new Error(`only ${latencies.length} first words arrived`);
    return [
      {
        what: 'the first word of a first turn, to a client of the same server (longest of 50)',
        value: Math.max(...latencies),
        unit: ' ms',
        digits: 1,
        atMost: 100,
        counts: 'median',
      },
    ];
  });
}
