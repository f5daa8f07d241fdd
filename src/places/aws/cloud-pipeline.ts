import { SFNClient } from '@aws-sdk/client-sfn';
import { wakeAsker } from '../../core/lifecycle/answer-question.ts';
import { createFollow } from '../follow/follow.ts';
import { tellDuring } from '../follow/tell-during.ts';
import { CLOUD_POLL_MS } from '../follow/view.ts';
import type { RunEvent } from '../../core/events/event.ts';
import { consoleLink } from './console-link.ts';
import { createStepFunctionsExecutions } from './step-functions.ts';
import { createStepFunctionsWake } from './step-functions-wake.ts';
import { addToBudget } from '../../core/lifecycle/add-budget.ts';
import { forkForPerson } from '../../core/lifecycle/fork-for-person.ts';
import { killForPerson } from '../../core/lifecycle/kill-for-person.ts';
import { sendToAgent } from '../../core/lifecycle/send-to-agent.ts';
import { openCloudStore } from './store/cloud-store.ts';
import { findDeployment } from './cloud-deployment.ts';
import type { Pipeline } from '../pipeline.ts';

/** How long the record of a run may take to be closed after its execution has ended. */
const CLOSING_MS = 30_000;

/**
 * The pipeline of a deployed environment, through the AWS SDK and the caller's own credentials.
 * @throws {ConfigError} if there is no such environment in the account and Region that the credentials are for
 */
export async function openCloudPipeline(environment: string): Promise<Pipeline> {
  const deployment = await findDeployment(environment);
  const { region, stateMachineArn, tableName, bucketName, keepDays } = deployment;
  const { runs: store, memories } = openCloudStore({
    tableName,
    bucket: bucketName,
    keepDays,
    region,
  });
  const states = new SFNClient({ region });
  const listeners = new Set<(event: RunEvent) => void>();
  const executions = createStepFunctionsExecutions(states, stateMachineArn);
  const wake = createStepFunctionsWake(states);
  // Events are made from the records.
  const residents = { store, executions, wake, now: Date.now };
  const following = createFollow({
    store,
    isCarriedOut: () => Promise.resolve(true),
    pollMs: CLOUD_POLL_MS,
  });
  const { follow, told } = following;

  /** A run that nothing else could close is closed by an event, which may come a little later than the end. */
  async function rested(run: string): Promise<void> {
    const signal = AbortSignal.timeout(CLOSING_MS);
    for await (const _ of follow(run, { from: await told(run), signal, until: 'rest' }));
  }

  return {
    ...following,
    store,
    memories,
    executions,
    wake,
    wakeAsker: (question) => wakeAsker(question, store, wake),
    onEvent(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async carryOut(run, work) {
      const carry = async () => {
        const result = await work();
        await rested(run);
        return result;
      };
      if (listeners.size === 0) return carry();
      // Of a run that is resumed, only new events are of interest.
      const from = await told(run);
      const { signal } = new AbortController();
      return tellDuring(
        (until) => follow(run, { from, live: true, signal, until }),
        ({ event }) => listeners.forEach((listener) => listener(event)),
        carry,
      );
    },
    send: (message) => sendToAgent(message, residents),
    addBudget: (root, more, by) => addToBudget(root, more, by, residents),
    fork: (run) => forkForPerson(run, residents),
    kill: async (run) => ({ ended: await killForPerson(run, residents) }),
    link: consoleLink,
    async close() {},
  };
}
