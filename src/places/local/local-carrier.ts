import { createBackground } from '../../background.ts';
import type { Instant } from '../../core/records/times.ts';
import type { PersonsMessage } from '../../core/lifecycle/persons-message.ts';
import { leaveMessage } from '../../core/lifecycle/leave-message.ts';
import { assertTop, goOn, resumeRun, type Resumption } from '../../core/lifecycle/resume.ts';
import { wakeForPerson } from '../../core/lifecycle/wake-agents.ts';
import type { CallKey } from '../../core/records/call.ts';
import type { Run } from '../../core/records/run.ts';
import type { Sent } from '../environment.ts';
import { killInFolder } from './kill-in-folder.ts';
import type { LocalPipeline } from './local-pipeline.ts';
import { createLockedExecutions, type LockedExecutions } from './locked-executions.ts';
import { unlessCarried } from './run-lock.ts';
import { takeUpLeft } from './take-up.ts';

/** The carrier of runs in this process, each under the lock of its tree: the interpreter, with agents and models. */
export interface LocalCarrier {
  pipeline: LocalPipeline;
  executions: LockedExecutions;
  resume(run: Run, resumption: Resumption): Promise<Run>;
  send(message: PersonsMessage): Promise<Sent>;
  kill(run: Run): Promise<string[]>;
  wakeAsker(question: CallKey): Promise<void>;
  /** Goes on with the trees that servers of this folder have left. @param tell takes a line for people */
  takeUp(tell: (line: string) => void): Promise<void>;
  /** Waits until nothing of the run's tree runs here. @throws a failure in this process meanwhile */
  quiet(run: string): Promise<void>;
  close(): Promise<void>;
}

/** @param report called with failures of work that is not awaited; absent: `quiet` throws them */
export function createLocalCarrier(
  pipeline: LocalPipeline,
  now: () => Instant,
  report?: (thrown: unknown) => void,
): LocalCarrier {
  const { store, wake, carryOut } = pipeline;
  const faults = createBackground();
  const executions = createLockedExecutions(pipeline, report ?? faults.report);
  const residents = { store, wake, executions, now };
  return {
    pipeline,
    executions,
    async resume(run, resumption) {
      assertTop(run);
      // The lock of the tree is taken before anything of it is changed.
      return carryOut(run.id, () => resumeRun(run, resumption, residents));
    },
    async send(message) {
      const { id: mail } = await leaveMessage(message, residents);
      // A process that carries the tree looks for messages once more after it has let go of it.
      const begun = await unlessCarried(() =>
        carryOut(message.run, async () => {
          const root = (await store.run(message.run))?.root ?? message.run;
          await goOn(root, residents);
          await wakeForPerson(message.run, residents);
        }),
      );
      return { mail, isLeftToAnother: begun.fault !== undefined };
    },
    kill: (run) => killInFolder(run, residents, carryOut),
    wakeAsker: pipeline.wakeAsker,
    takeUp: (tell) => takeUpLeft(pipeline, residents, tell),
    async quiet(run) {
      await executions.quiet(run);
      await faults.rested();
    },
    close: () => pipeline.close(),
  };
}
