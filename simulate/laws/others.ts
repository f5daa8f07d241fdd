import { isIn, OPEN } from '../../src/core/records/phase.ts';
import { isOpen } from '../world/other-agents.ts';
import type { Law } from './law.ts';

/** A task that somebody else pays for is handed over once, and does not continue for nobody. */
export const TASKS_ARE_GIVEN_UP: Law = {
  says: 'an agent of others is handed a task once, and told to give it up where the run has ended without its answer',
  async atRest({ bare, others: { tasks } }) {
    const wrong: string[] = [];
    for (const [index, task] of tasks.entries()) {
      if (tasks.findIndex(({ run }) => run === task.run) !== index)
        wrong.push(`${task.run} has handed over ${task.id} as well`);
      const run = await bare.run(task.run);
      const isLeft = isOpen(task) && !task.isCutOff && (run === undefined || !isIn(OPEN, run));
      if (isLeft) wrong.push(`${task.id} of ${task.run} goes on for nobody`);
    }
    return wrong;
  },
};
