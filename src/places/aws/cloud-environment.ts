import { SFNClient } from '@aws-sdk/client-sfn';
import { S3Client } from '@aws-sdk/client-s3';
import { limitsPerDay } from '../../core/records/limits-per-day.ts';
import { assertName } from '../../core/agent-schema/agent-name.ts';
import { wakeAsker } from '../../core/lifecycle/answer-question.ts';
import { BUCKET_PREFIX } from './variables.ts';
import { createStepFunctionsExecutions } from './step-functions.ts';
import { createStepFunctionsWake } from './step-functions-wake.ts';
import { parseModelName } from '../../core/model/model-name.ts';
import { killForPerson } from '../../core/lifecycle/kill-agent.ts';
import { leaveMessage } from '../../core/lifecycle/leave-message.ts';
import { wakeForPerson } from '../../core/lifecycle/wake-agents.ts';
import { openCloudStore } from './store/cloud-store.ts';
import { createS3Publisher } from './store/s3/publisher.ts';
import { createS3Uploads } from './store/s3/uploads.ts';
import { findDeployment } from './cloud-deployment.ts';
import { createDeployedEnvironment } from './deployed-environment.ts';
import type { Environment } from '../environment.ts';
import { CLIENT_LIMITS, TRANSFER_LIMITS } from './client-limits.ts';

/**
 * A deployed environment, through the AWS SDK and the caller's own credentials.
 * @throws {ConfigError} if there is no such environment in the account and Region that the credentials are for
 */
export async function openCloudEnvironment(environment: string): Promise<Environment> {
  const {
    region,
    stateMachineArn,
    tableName,
    bucketName: bucket,
    keepDays,
    limits = {},
  } = await findDeployment(environment);
  const { runs: store } = openCloudStore({ tableName, bucket, keepDays, region });
  const states = new SFNClient({ region, ...CLIENT_LIMITS });
  const executions = createStepFunctionsExecutions(states, stateMachineArn);
  const wake = createStepFunctionsWake(states);
  // Events are made from the records.
  const residents = { store, executions, wake, now: Date.now };
  const place = { client: new S3Client({ region, ...TRANSFER_LIMITS }), bucket, prefix: BUCKET_PREFIX.runs };
  return createDeployedEnvironment({
    name: environment,
    store,
    executions,
    now: Date.now,
    limits: { perDay: limitsPerDay(limits) ?? {} },
    // Its agents are known to the machine alone.
    async check({ agent, overrides = {} }) {
      assertName('agent', agent);
      if (overrides.model !== undefined) parseModelName(overrides.model);
      return undefined;
    },
    wakeAsker: (question) => wakeAsker(question, store, wake),
    async send(message) {
      const { id: mail } = await leaveMessage(message, residents);
      const execution = await wakeForPerson(message.run, residents);
      return { mail, execution, isLeftToAnother: false };
    },
    kill: (run) => killForPerson(run, residents),
    publish: createS3Publisher(place),
    uploads: createS3Uploads(place),
  });
}
