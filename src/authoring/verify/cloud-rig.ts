import { DisableRuleCommand, EnableRuleCommand, EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { CreateScheduleCommand, DeleteScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import {
  DescribeStateMachineCommand,
  paginateGetExecutionHistory,
  RedriveExecutionCommand,
  SFNClient,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { askAws, isAwsError } from '../../places/aws/aws-errors.ts';
import { endedRuleName, type Deployment, environmentStem } from '../../places/aws/deployment.ts';
import { ConfigError } from '../../errors.ts';
import { findDeployment } from '../../places/aws/cloud-deployment.ts';
import { createSendSigned } from '../../places/aws/cloud-requests.ts';
import { tickParts, tickRunId } from '../../core/records/run-id.ts';
import { openCloudEnvironment } from '../../places/aws/cloud-environment.ts';
import type { Rig } from './rig.ts';
import { CLIENT_LIMITS } from '../../places/aws/client-limits.ts';

/**
 * A deployed environment, through the AWS SDK and the caller's own credentials.
 * @throws {ConfigError} if there is no such environment, or it has no agents of the verification
 */
export async function openCloudRig(environment: string): Promise<Rig> {
  const deployment = await findDeployment(environment);
  const { region, stateMachineArn, takesSignatures, verification } = deployment;
  if (verification === undefined) {
    throw new ConfigError(
      `environment "${environment}" has no agents to verify it with: set "verify": true for it in cdk.json, and deploy it with: npx cdk deploy -c env=${environment}`,
    );
  }
  const states = new SFNClient({ region, ...CLIENT_LIMITS });
  const schedules = openSchedules(environment, region, verification);
  return {
    ...(await openCloudEnvironment(environment)),
    pollMs: 500,
    ...(!takesSignatures && {
      whyNoRequests: 'the API of this environment takes tokens, and no signatures',
    }),
    history: (executionArn) =>
      askAws(`read the history of ${executionArn}`, async () => {
        const events: unknown[] = [];
        for await (const page of paginateGetExecutionHistory(
          { client: states, pageSize: PAGE },
          { executionArn },
        )) {
          events.push(...(page.events ?? []));
        }
        return events;
      }),
    halt: (executionArn) =>
      askAws(`stop ${executionArn}`, async () => {
        await states.send(new StopExecutionCommand({ executionArn }));
      }),
    unnoticed: createUnnoticed(environment, region),
    revision: () =>
      askAws(`describe ${stateMachineArn}`, async () => {
        const { definition = '' } = await states.send(new DescribeStateMachineCommand({ stateMachineArn }));
        return definition;
      }),
    redrive: (executionArn) =>
      askAws(`redrive ${executionArn}`, async () => {
        await states.send(new RedriveExecutionCommand({ executionArn }));
      }),
    ask: createAsk(deployment),
    schedule: schedules.once,
    close: schedules.close,
  };
}

/** The most events that GetExecutionHistory gives at once. */
const PAGE = 1_000;

/** Requests to the API, signed as `execute-api` wants them. */
function createAsk({ apiUrl, region }: Deployment): Rig['ask'] {
  const sendSigned = createSendSigned('execute-api', region);
  return (method, path, isSigned, json) =>
    askAws(`ask ${apiUrl}`, async () => {
      const request = new Request(new URL(path, apiUrl), {
        method,
        ...(json !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(json),
        }),
      });
      const response = await (isSigned ? sendSigned(request) : fetch(request));
      return { status: response.status, body: await response.json() };
    });
}

/** How long events are still matched as before once a rule is changed, and how late one may come. */
const LAG_MS = 10_000;
const lag = () => new Promise((go) => void setTimeout(go, LAG_MS));

/** Disables the rule that tells of executions which have ended, for as long as some work takes. */
function createUnnoticed(environment: string, region: string): Rig['unnoticed'] {
  const Name = endedRuleName(environment);
  return async (work) => {
    const events = new EventBridgeClient({ region, ...CLIENT_LIMITS });
    await askAws(`disable rule "${Name}"`, () => events.send(new DisableRuleCommand({ Name })));
    try {
      await lag();
      const done = await work();
      await lag();
      return done;
    } finally {
      await askAws(`enable rule "${Name}"`, () => events.send(new EnableRuleCommand({ Name })));
      events.destroy();
    }
  };
}

/** A time that has passed when EventBridge Scheduler gets it starts nothing. It is precise to a minute. */
const SOON_MS = 10_000;

/** Schedules that start one run each and are removed. */
function openSchedules(
  environment: string,
  region: string,
  { startingMachineArn, schedulerRoleArn }: NonNullable<Deployment['verification']>,
) {
  const scheduler = new SchedulerClient({ region, ...CLIENT_LIMITS });
  const names: string[] = [];
  return {
    async once(agent: string, prompt: string): Promise<string> {
      const at = 1000 * Math.ceil((Date.now() + SOON_MS) / 1000);
      const name = `${environmentStem(environment)}-verify-${at.toString(36)}`;
      const command = new CreateScheduleCommand({
        Name: name,
        Description: 'Starts one run for cadre verify',
        ScheduleExpression: `at(${new Date(at).toISOString().slice(0, -'.000Z'.length)})`,
        ScheduleExpressionTimezone: 'UTC',
        FlexibleTimeWindow: { Mode: 'OFF' },
        // Should this process not live to remove it.
        ActionAfterCompletion: 'DELETE',
        Target: {
          Arn: startingMachineArn,
          RoleArn: schedulerRoleArn,
          Input: JSON.stringify({
            agent,
            prompt,
            time: '<aws.scheduler.scheduled-time>',
            ...tickParts(agent),
          }),
        },
      });
      await askAws(`create schedule "${name}"`, () => scheduler.send(command));
      names.push(name);
      return tickRunId(agent, at);
    },
    async close(): Promise<void> {
      for (const name of names) {
        const removed = scheduler.send(new DeleteScheduleCommand({ Name: name }));
        await askAws(`remove schedule "${name}"`, () => removed.catch(unlessGone));
      }
    },
  };
}

/** One that has done its work removes itself. */
function unlessGone(thrown: unknown): void {
  if (!isAwsError(thrown, 'ResourceNotFoundException')) throw thrown;
}
