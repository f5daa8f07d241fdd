import { defined } from '../../defined.ts';
import { consoleLink } from './console-link.ts';
import { createFollowing } from './following.ts';
import { parseModelName } from '../../core/model/model-name.ts';
import type { CloudExecutions } from './step-functions.ts';
import type { RunStore } from '../../core/records/ports.ts';
import type { PlaceLimits } from '../../core/spending/allot.ts';
import type { RunRequest } from '../../core/records/request.ts';
import { isIn, OPEN, UNDER_WAY } from '../../core/records/phase.ts';
import { assertStoppable } from '../assert-stoppable.ts';
import { carriedSince, type Run } from '../../core/records/run.ts';
import type { Environment, NewRun } from '../environment.ts';
import { createRecordOperations, type RecordPorts } from '../record-operations.ts';
import type { StartedAgent } from '../start-recorded.ts';
import { untilRested } from '../until-rested.ts';

/** The differences between a person with credentials and a function of the environment itself. */
export interface DeployedPorts
  extends Omit<RecordPorts, 'start'>, Pick<Environment, 'kill' | 'name' | 'publish' | 'send' | 'uploads'> {
  store: RunStore;
  executions: CloudExecutions;
  check(request: RunRequest, id: string): Promise<StartedAgent | undefined>;
  /** The limits per day; absent: there are none. */
  limits?: PlaceLimits;
}

/** An environment in an account. Step Functions carries its trees, and mostly `settle` is told of their ends. */
export function createDeployedEnvironment(ports: DeployedPorts): Environment {
  const { store, executions, now, check, send, kill, name, publish, uploads } = ports;
  const following = createFollowing(ports);
  const { records } = following;

  async function start(run: NewRun) {
    const { startRecorded } = await import('../start-recorded.ts');
    return startRecorded(run, ports, check);
  }

  async function note(run: Run, by: string | undefined): Promise<void> {
    const { noteStoppedBy } = await import('../../core/lifecycle/note-deed.ts');
    await noteStoppedBy(run, by, store);
  }

  return {
    ...createRecordOperations({ ...ports, start }),
    ...following,
    ...defined({ name }),
    perDay: async () => ports.limits?.perDay ?? {},
    start,
    async resume(run, { timeout, model, add, by } = {}) {
      const { assertAnyLeft, assertTop, resumeRun } = await import('../../core/lifecycle/resume.ts');
      assertTop(run);
      if (model !== undefined) parseModelName(model);
      await assertAnyLeft(run, ports);
      await (await import('../assert-not-paused.ts')).assertNotPaused(store);
      return resumeRun(run, { timeout, model, add, by }, { store, executions, now });
    },
    async stop(run, cause, by) {
      await assertStoppable(run, executions, name);
      await note(run, by);
      await executions.stop(run.execution, cause, carriedSince(run));
      await (await import('./ended-unnoticed.ts')).closeEnded(run, ports);
      return isIn(OPEN, run) ? run : { ...run, holder: run.holder + 1 };
    },
    send,
    async kill(run, by) {
      const { assertKillable } = await import('../../core/lifecycle/assert-killable.ts');
      assertKillable(run);
      if (isIn(UNDER_WAY, run) && run.execution !== '') {
        await (await import('./ended-unnoticed.ts')).closeEnded(run, ports);
        assertKillable((await store.run(run.id)) ?? run);
      }
      await note(run, by);
      return kill(run);
    },
    ended: (run, options = {}) => untilRested(run, options, records),
    publish,
    uploads,
    link: consoleLink,
    stopAll: async () => {},
    close: async () => {},
  };
}
