import { setTimeout as delay } from 'node:timers/promises';
import { SFNClient } from '@aws-sdk/client-sfn';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import * as v from 'valibot';
import type { EmitRunEvent } from '../runs/event.ts';
import { Deployment, deploymentParameter } from '../deployment.ts';
import { ConfigError, messageOf } from '../errors.ts';
import { createStepFunctionsExecutions } from '../executions/step-functions.ts';
import { openCloudStore } from '../store/cloud-store.ts';
import type { Pipeline } from './pipeline.ts';
import { pollEvents } from './poll-events.ts';

/** How long the record of a run may take to be closed after its execution has ended. */
const CLOSING_MS = 30_000;

const ENVIRONMENT_NAME = /^[a-z][a-z0-9-]{0,31}$/;

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
  const listeners: EmitRunEvent[] = [];
  return {
    store,
    memories,
    executions: createStepFunctionsExecutions(new SFNClient({ region }), stateMachineArn),
    onEvent: (listener) => void listeners.push(listener),
    async carryOut(run, work) {
      const watch = new AbortController();
      const emit: EmitRunEvent = (event) => listeners.forEach((listener) => listener(event));
      // A run that is resumed has ended before: that end is not the one to wait for.
      const next = ((await store.run(run))?.holder ?? 0) + 1;
      const closed = pollEvents(run, store, emit, watch.signal, undefined, next);
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
    link: (executionArn) => consoleLink(region, executionArn),
    async close() {},
  };
}

async function findDeployment(environment: string): Promise<Deployment> {
  if (!ENVIRONMENT_NAME.test(environment)) {
    throw new ConfigError(
      `invalid environment name ${JSON.stringify(environment)}: use lower-case letters, digits and "-"`,
    );
  }
  const name = deploymentParameter(environment);
  let value: string | undefined;
  try {
    value = (await new SSMClient({}).send(new GetParameterCommand({ Name: name }))).Parameter?.Value;
  } catch (thrown) {
    if (!(thrown instanceof Error && thrown.name === 'ParameterNotFound')) {
      throw new ConfigError(
        `cannot look up environment "${environment}": ${messageOf(thrown)}; check credentials and Region`,
        {
          cause: thrown,
        },
      );
    }
  }
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Deployment), value);
  if (parsed.success) return parsed.output;
  throw new ConfigError(
    `environment "${environment}" is not deployed in this account and Region (no parameter ${name}); deploy it with: npx cdk deploy -c env=${environment}`,
  );
}

/** Where an execution can be followed step by step. */
function consoleLink(region: string, executionArn: string): string {
  return `https://${region}.console.aws.amazon.com/states/home?region=${region}#/v2/executions/details/${executionArn}`;
}
