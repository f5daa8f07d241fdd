import { setTimeout as delay } from 'node:timers/promises';
import type { Model } from '../src/models/model.ts';
import { answer, delegate, isLead, runLead, turnsSoFar, withPipeline } from './delegating.ts';
import { atMost, figure, type Row } from './row.ts';

/** As many as an inline Map runs at once. */
const SUB_AGENTS = 40;
const SUB_AGENT_MS = 500;

/** One answer that calls many sub-agents, whose model takes its time: the longest path is one of them. */
export async function measureFanOut(): Promise<Row[]> {
  const model: Model = {
    async send(request) {
      if (isLead(request)) return turnsSoFar(request) === 0 ? delegate(SUB_AGENTS) : answer();
      await delay(SUB_AGENT_MS);
      return answer();
    },
  };
  return withPipeline(model, async (pipeline) => {
    const start = performance.now();
    await runLead(pipeline);
    const wall = performance.now() - start;
    const what = `${SUB_AGENTS} sub-agents of ${SUB_AGENT_MS} ms at once`;
    return [
      figure(`${what}: wall`, `${wall.toFixed(0)} ms`),
      atMost(`${what}: wall / longest path`, wall / SUB_AGENT_MS, 1.1, ''),
    ];
  });
}
