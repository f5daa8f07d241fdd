import { AlreadyStartedError } from '../../src/core/machine/executions.ts';
import { addToBudget } from '../../src/core/lifecycle/add-budget.ts';
import { AnsweredError, answerQuestion, wakeAsker } from '../../src/core/lifecycle/answer-question.ts';
import { forkForPerson } from '../../src/core/lifecycle/fork-for-person.ts';
import { killForPerson } from '../../src/core/lifecycle/kill-agent.ts';
import { leaveMessage } from '../../src/core/lifecycle/leave-message.ts';
import { goOn, resumeRun } from '../../src/core/lifecycle/resume.ts';
import { startRun } from '../../src/core/lifecycle/start.ts';
import { sweepTrees } from '../../src/core/lifecycle/sweep.ts';
import { wakeForPerson } from '../../src/core/lifecycle/wake-agents.ts';
import type { RunStore } from '../../src/core/records/ports.ts';
import type { UnansweredQuestion } from '../../src/core/records/question.ts';
import type { RunRequest } from '../../src/core/records/request.ts';
import type { Run } from '../../src/core/records/run.ts';
import { ConfigError, StoreUnavailableError } from '../../src/errors.ts';
import { createEmbeddedExecutions } from '../../src/places/local/embedded.ts';
import { Death } from '../../test/fixtures/mortal.ts';
import type { Callers } from './callers.ts';
import type { Steps } from './steps.ts';

/**
 * Requests of people to an account, and the schedule that sweeps it.
 * @param steps of the current process
 * @param store as a new reader sees it
 */
export function createPeople({ once, repeated }: Callers, steps: () => Steps, store: () => RunStore) {
  return {
    async start(id: string, request: RunRequest): Promise<void> {
      await repeated(steps(), 'start', id, (ports) => startRun(id, request, ports)).catch(
        (thrown: unknown) => {
          // Whoever repeats it learns that it was started.
          if (!(thrown instanceof AlreadyStartedError)) throw thrown;
        },
      );
    },

    /**
     * Once the message is stored, nobody repeats a failed wake: the agent hears of it by the next sweep at the latest.
     * @returns whether it hears of it at once
     */
    async send(run: string, text: string): Promise<boolean> {
      await repeated(steps(), 'send', run, (ports) => leaveMessage({ run, text }, ports));
      try {
        await once(steps(), 'wake', run, (ports) => wakeForPerson(run, ports));
        return true;
      } catch (thrown) {
        if (!(thrown instanceof Death || thrown instanceof StoreUnavailableError)) throw thrown;
        return false;
      }
    },

    kill: (run: Run) => repeated(steps(), 'kill', run.id, (ports) => killForPerson(run, ports)),

    async stop(execution: string): Promise<void> {
      const { machines, machine } = steps();
      await createEmbeddedExecutions(machines, machine).stop(execution, 'enough');
    },

    /** Has Step Functions start an execution again from the state that failed. */
    async redrive(executionArn: string): Promise<void> {
      steps().machines.redriveExecution({ executionArn });
    },

    /** Nobody repeats it, since it may have been added. */
    addBudget: (root: string, tokens: number) =>
      once(steps(), 'add', root, (ports) => addToBudget(root, { tokens }, undefined, ports)),

    /** Makes a copy of an agent, and writes to it. Nobody repeats that, either. */
    async fork(run: Run, text: string): Promise<void> {
      const copy = await once(steps(), 'fork', run.id, (ports) => forkForPerson(run, ports));
      await this.send(copy.id, text);
    },

    async resume(root: string): Promise<void> {
      let attempts = 0;
      await repeated(steps(), 'resume', root, async (ports) => {
        attempts += 1;
        const run = await ports.store.run(root);
        if (run === undefined) throw new ConfigError(`no run ${root}`);
        await resumeRun(run, {}, ports);
      }).catch((thrown: unknown) => {
        // The one that died has resumed it.
        if (attempts === 1 || !(thrown instanceof ConfigError)) throw thrown;
      });
    },

    /** Continues what a dead process has left, as the next command in its folder does. */
    goOn: (root: string) => once(steps(), 'go on', root, (ports) => goOn(root, ports)),

    async answer({ question }: UnansweredQuestion, text: string): Promise<void> {
      let attempts = 0;
      await repeated(steps(), 'answer', question.run, (ports) => {
        attempts += 1;
        return answerQuestion(question, text, undefined, {
          store: ports.store,
          tools: ports.tools,
          now: ports.now,
          wake: (at) => wakeAsker(at, ports.store, ports.wake),
        });
      }).catch((thrown: unknown) => {
        // The one that died has answered it.
        if (attempts === 1 || !(thrown instanceof AnsweredError)) throw thrown;
      });
    },

    async questions(root: string): Promise<UnansweredQuestion[]> {
      const open: UnansweredQuestion[] = [];
      for await (const each of store().openQuestions()) if (each.question.root === root) open.push(each);
      return open;
    },

    /**
     * Sweeps all trees, as a schedule does every five minutes. A failed sweep is not repeated.
     * @returns whether it went through all of them
     */
    async sweep(): Promise<boolean> {
      try {
        await once(steps(), 'sweep', '', async (ports) =>
          sweepTrees(await ports.store.openTrees(), { ...ports, live: { tell: () => {} } }),
        );
        return true;
      } catch (thrown) {
        const reasons: unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown];
        const isPassing = (one: unknown) => one instanceof Death || one instanceof StoreUnavailableError;
        if (!reasons.every(isPassing)) throw thrown;
        return false;
      }
    },
  };
}
