import { setTimeout as delay } from 'node:timers/promises';
import type { Model } from '../src/core/model/model.ts';
import { answer, delegate, isLead, runLead, turnsSoFar, withPipeline } from './delegating.ts';
import type { Row } from './row.ts';

/** As many as an inline Map runs at once. */
const SUB_AGENTS = 40;
const SUB_AGENT_MS = 500;

/** One answer that calls many sub-agents whose model takes its time, beside one that calls a single one. */
export async function measureFanOut(): Promise<Row[]> {
  let subAgents = 1;
  const model: Model = {
    async send(request) {
      if (isLead(request)) return turnsSoFar(request) === 0 ? delegate(subAgents) : answer();
      await delay(SUB_AGENT_MS);
      return answer();
    },
  };
  return withPipeline(model, async (pipeline) => {
    const timed = async () => {
      const start = performance.now();
      await runLead(pipeline);
      return performance.now() - start;
    };
    const longestPath = await timed();
    subAgents = SUB_AGENTS;
    const wall = await timed();
    const what = `${SUB_AGENTS} sub-agents of ${SUB_AGENT_MS} ms at once`;
    return [
      { what: `${what}: wall`, value: wall, unit: ' ms', digits: 0, counts: 'least' },
      {
        what: `${what}: wall / longest path`,
        value: wall / longestPath,
        unit: '',
        digits: 2,
        atMost: 1.1,
        counts: 'least',
      },
    ];
  });
}
