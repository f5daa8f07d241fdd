import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import type { AgentSource } from '../../core/agent-schema/agent-source.ts';
import { loadAgent } from '../../core/agent-schema/load-agent.ts';
import { BUCKET_PREFIX, ENVIRONMENT, required } from './variables.ts';
import { createStepFunctionsExecutions } from './step-functions.ts';
import { functionStore } from './store/cloud-store.ts';
import { functionLimits } from './place-limits.ts';
import { createS3Publisher } from './store/s3/publisher.ts';
import { createS3Uploads } from './store/s3/uploads.ts';
import { createDeployedEnvironment } from './deployed-environment.ts';
import { isIn, OPEN } from '../../core/records/phase.ts';
import type { Environment } from '../environment.ts';
import { defined } from '../../defined.ts';
import type { JsonObject } from '../../json.ts';
import { createInvokeLater } from './invoke-later.ts';
import { CLIENT_LIMITS, TRANSFER_LIMITS } from './client-limits.ts';

/**
 * The environment of a function, as its variables say. It starts and stops executions but answers no task tokens: where
 * these are needed, it writes what it can and invokes the control function.
 * @param source the agents that were deployed
 */
export function openFunctionEnvironment(source: AgentSource): Environment {
  const invokeLater = createInvokeLater();
  const { runs: store } = functionStore();

  const reachAgents = (event: JsonObject) => invokeLater(required(ENVIRONMENT.control), event);
  const place = {
    client: new S3Client(TRANSFER_LIMITS),
    bucket: required(ENVIRONMENT.bucket),
    prefix: BUCKET_PREFIX.runs,
  };
  return createDeployedEnvironment({
    name: required(ENVIRONMENT.name),
    store,
    executions: createStepFunctionsExecutions(
      new SFNClient(CLIENT_LIMITS),
      required(ENVIRONMENT.stateMachine),
    ),
    now: Date.now,
    limits: functionLimits(),
    async check({ agent }, id) {
      const packed = await source.packOf?.({ root: id, agent, isTop: true });
      const loaded = await loadAgent(agent, packed?.source ?? source);
      return { ...loaded.agent, ...defined({ pack: packed?.name }) };
    },
    wakeAsker: ({ run, turn, call }) => reachAgents({ answered: { run, turn, call } }),
    async send(message) {
      const { leaveMessage } = await import('../../core/lifecycle/leave-message.ts');
      const { id: mail } = await leaveMessage(message, { store, now: Date.now });
      await reachAgents({ written: { run: message.run } });
      return { mail, isLeftToAnother: false };
    },
    async kill(run) {
      // Noted first, so that it is not lost with the event; but not if the agent has answered since, which the note
      // would kill as soon as somebody writes to it.
      await store.updateRun(run.id, (one) => (isIn(OPEN, one) ? { ...one, isToBeKilled: true } : one), run);
      await store.listAsOpen(run);
      await reachAgents({ kill: { run: run.id } });
      return [run.id];
    },
    publish: createS3Publisher(place),
    uploads: createS3Uploads(place),
  });
}
