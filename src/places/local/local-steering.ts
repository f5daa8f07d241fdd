import type { PersonsMessage } from '../../core/lifecycle/persons-message.ts';
import { assertTop, resumeRun } from '../../core/lifecycle/resume.ts';
import { sendToTree } from '../../core/lifecycle/send-to-tree.ts';
import { killInFolder } from './kill-in-folder.ts';
import type { LocalPipeline } from './local-pipeline.ts';
import type { LockedExecutions } from './locked-executions.ts';
import type { Steering } from '../pipeline.ts';
import { writeToAgent } from '../write-to-agent.ts';

/**
 * People's actions on agents through a process that carries many trees at once, and waits for none. Their effects are
 * carried out here, unless another process carries the tree.
 */
export function createLocalSteering(
  pipeline: Pick<LocalPipeline, 'carryOut' | 'store' | 'wake'>,
  executions: LockedExecutions,
  now: () => number,
): Steering {
  const { store, wake } = pipeline;
  const residents = { store, wake, executions, now };
  const send = (message: PersonsMessage) => sendToTree(message, residents);
  return {
    send: (message) =>
      writeToAgent(message, { ...residents, send }, (start) => pipeline.carryOut(message.run, start)),
    async kill(run) {
      await killInFolder(run, residents, pipeline.carryOut);
    },
    async resume(run, timeout) {
      assertTop(run);
      // The lock of the tree is taken before anything of it is changed.
      return pipeline.carryOut(run.id, () => resumeRun(run, timeout, residents));
    },
  };
}
