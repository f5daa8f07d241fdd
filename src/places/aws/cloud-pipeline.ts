import { setTimeout as delay } from 'node:timers/promises';
import { SFNClient } from '@aws-sdk/client-sfn';
import { wakeAsker } from '../../core/lifecycle/answer-question.ts';
import { CLOUD_POLL_MS } from '../follow/poll.ts';
import { createFollow } from '../follow/follow.ts';
import type { Positions } from '../../core/events/positions.ts';
import type { TreeEvent } from '../../core/events/tree-event.ts';
import type { EmitRunEvent } from '../../core/events/event.ts';
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

export interface CloudPipeline extends Pipeline {
  /** @param from what was told of it before; absent: all that there is */
  carryOut<T>(run: string, work: () => Promise<T>, from?: Positions): Promise<T>;
  /** What there is of a run by now, so that it is not told when the run goes on. */
  told(run: string): Promise<Positions>;
}

/**
 * The pipeline of a deployed environment, through the AWS SDK and the caller's own credentials.
 * @throws {ConfigError} if there is no such environment in the account and Region that the credentials are for
 */
export async function openCloudPipeline(environment: string): Promise<CloudPipeline> {
  const deployment = await findDeployment(environment);
  const { region, stateMachineArn, tableName, bucketName, keepDays } = deployment;
  const { runs: store, memories } = openCloudStore({
    tableName,
    bucket: bucketName,
    keepDays,
    region,
  });
  const states = new SFNClient({ region });
  const listeners = new Set<EmitRunEvent>();
  const executions = createStepFunctionsExecutions(states, stateMachineArn);
  const wake = createStepFunctionsWake(states);
  // Events are made from the records.
  const residents = { store, executions, wake, emit: () => {}, now: Date.now };
  const { follow, told } = createFollow({
    store,
    isCarriedOut: () => Promise.resolve(true),
    pollMs: CLOUD_POLL_MS,
  });

  async function tell(events: AsyncIterable<TreeEvent>): Promise<void> {
    for await (const { event } of events) listeners.forEach((listener) => listener(event));
  }

  return {
    store,
    memories,
    executions,
    wake,
    wakeAsker: (question) => wakeAsker(question, store, wake),
    onEvent(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    told,
    async carryOut(run, work, before) {
      const watch = new AbortController();
      // Of a run that is resumed, only what is new is of interest.
      const from = before ?? (await told(run));
      const closed = tell(follow(run, { from, live: true, signal: watch.signal, until: 'rest' }));
      try {
        const result = await work();
        // What nothing else could close is closed by an event, which may come a little later.
        await Promise.race([closed, delay(CLOSING_MS, undefined, { signal: watch.signal })]);
        return result;
      } finally {
        watch.abort();
        await closed;
      }
    },
    send: (message) => sendToAgent(message, residents),
    addBudget: (root, more, by) => addToBudget(root, more, by, residents),
    fork: (run) => forkForPerson(run, residents),
    kill: async (run) => ({ ended: await killForPerson(run, residents) }),
    link: consoleLink,
    async close() {},
  };
}
