import { setTimeout as delay } from 'node:timers/promises';
import type { Model } from '../src/core/model/model.ts';
import { answer, FACTS, runLead, turnsSoFar, withPipeline } from './delegating.ts';
import type { Row } from './row.ts';

const SUBTASK_MS = 500;

/** Three subtasks at once, and two that depend on them. */
const SUBTASKS = [
  { task: 'a' },
  { task: 'b' },
  { task: 'c' },
  { task: 'd', depends_on: 0 },
  { task: 'e', depends_on: [1, 2] },
];
const WAVES = 2;

/** A plan of five subtasks whose model takes its time, beside the time that its longest path takes by itself. */
export async function measureDelegation(): Promise<Row[]> {
  const model: Model = {
    async send(request) {
      const isPlanner =
        request.tools.some(({ name }) => name === 'delegate_task') && !request.system.includes('Task:');
      if (!isPlanner) {
        await delay(SUBTASK_MS);
        return answer();
      }
      if (turnsSoFar(request) > 0) return answer();
      const args = { plan: 'Look at everything.', subtasks: SUBTASKS };
      const calls = [{ id: 'call_1', name: 'delegate_task', arguments: args }];
      return { ...FACTS, text: '', calls, stopReason: 'tool_calls', rawStopReason: 'tool_use' };
    },
  };
  return withPipeline(model, async (pipeline) => {
    await runLead(pipeline, 'planner');
    const start = performance.now();
    await runLead(pipeline, 'planner');
    const wall = performance.now() - start;
    const what = `delegate_task of ${SUBTASKS.length} subtasks of ${SUBTASK_MS} ms in ${WAVES} waves`;
    return [
      { what: `${what}: wall`, value: wall, unit: ' ms', digits: 0, counts: 'least' },
      {
        what: `${what}: wall / longest path`,
        value: wall / (WAVES * SUBTASK_MS),
        unit: '',
        digits: 2,
        atMost: 1.1,
        counts: 'least',
      },
    ];
  });
}
