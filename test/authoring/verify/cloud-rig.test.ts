import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { DisableRuleCommand, EnableRuleCommand, EventBridgeClient } from '@aws-sdk/client-eventbridge';
import {
  CreateScheduleCommand,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { DescribeStateMachineCommand, GetExecutionHistoryCommand, SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openCloudRig } from '../../../src/authoring/verify/cloud-rig.ts';
import { tickParts, tickRunId } from '../../../src/core/records/run-id.ts';
import { inHeldTime } from '../../fixtures/held-time.ts';

/** Of the class, since the client is made where it is used. */
const settings = mockClient(SSMClient);
const events = mockClient(EventBridgeClient);
const states = mockClient(SFNClient);
const schedules = mockClient(SchedulerClient);
const ALL = [settings, events, states, schedules];
beforeEach(() => ALL.forEach((each) => each.reset()));
afterEach(() => void vi.useRealTimers());
afterAll(() => ALL.forEach((each) => each.restore()));

const DEPLOYMENT = {
  region: 'eu-west-1',
  stateMachineArn: 'arn:aws:states:eu-west-1:123456789012:stateMachine:cadre-prod',
  tableName: 'table',
  bucketName: 'bucket',
  apiUrl: 'https://api.example',
  keepDays: 30,
};
const VERIFICATION = {
  startingMachineArn: 'arn:aws:states:eu-west-1:123456789012:stateMachine:cadre-prod-schedule',
  schedulerRoleArn: 'arn:aws:iam::123456789012:role/scheduler',
};

function deployed(deployment: object): void {
  settings.on(GetParameterCommand).resolves({ Parameter: { Value: JSON.stringify(deployment) } });
}

test('an environment without agents to verify it with is told of, with what gives it some', async () => {
  deployed(DEPLOYMENT);
  await expect(openCloudRig('prod')).rejects.toMatchObject({
    name: 'ConfigError',
    message:
      'environment "prod" has no agents to verify it with: set "verify": true for it in cdk.json, and deploy it with: npx cdk deploy -c env=prod',
  });
});

test.each([
  [true, undefined],
  [false, 'the API of this environment takes tokens, and no signatures'],
])('an environment whose API takes signatures: %s', async (takesSignatures, whyNoRequests) => {
  deployed({ ...DEPLOYMENT, takesSignatures, verification: VERIFICATION });
  const rig = await openCloudRig('prod');
  expect(rig.whyNoRequests).toBe(whyNoRequests);
  await rig.close();
});

test('the rule that tells of ends is enabled again, even if what was done meanwhile has failed', async () => {
  deployed({ ...DEPLOYMENT, takesSignatures: true, verification: VERIFICATION });
  const done: string[] = [];
  events.on(DisableRuleCommand).callsFake(({ Name }) => void done.push(`disabled ${Name}`));
  events.on(EnableRuleCommand).callsFake(({ Name }) => void done.push(`enabled ${Name}`));
  const rig = await openCloudRig('prod');
  const work = async () => {
    done.push('worked');
    throw new Error('no');
  };
  await inHeldTime(() => expect(rig.unnoticed(work)).rejects.toThrow('no'), 1_000);
  expect(done).toEqual(['disabled cadre-prod-ended', 'worked', 'enabled cadre-prod-ended']);
  await rig.close();
});

test('what comes of work that nobody is told of is handed on, once events would have come', async () => {
  deployed({ ...DEPLOYMENT, takesSignatures: true, verification: VERIFICATION });
  const rig = await openCloudRig('prod');
  const times = await inHeldTime(async () => {
    const from = Date.now();
    const worked = await rig.unnoticed(async () => Date.now() - from);
    return [worked, Date.now() - from];
  }, 1_000);
  expect(times.map((each) => Math.floor(each / 10_000))).toEqual([1, 2]);
  await rig.close();
});

test('executions are read page by page, stopped and redriven, and the machine is described', async () => {
  deployed({ ...DEPLOYMENT, takesSignatures: true, verification: VERIFICATION });
  const event = (id: number) => ({ id, type: 'TaskStarted' as const, timestamp: new Date(0) });
  states
    .on(GetExecutionHistoryCommand)
    .resolves({ events: [event(1), event(2)], nextToken: 'more' })
    .on(GetExecutionHistoryCommand, { executionArn: 'arn', nextToken: 'more', maxResults: 1_000 })
    .resolves({ events: [event(3)] })
    .on(DescribeStateMachineCommand, { stateMachineArn: DEPLOYMENT.stateMachineArn })
    .resolves({ definition: '{}' });
  const rig = await openCloudRig('prod');
  expect(await rig.history('arn')).toEqual([event(1), event(2), event(3)]);
  expect(await rig.revision()).toBe('{}');
  await rig.halt('arn');
  await rig.redrive('arn');
  expect(states.calls().map(({ args: [command] }) => [command.constructor.name, command.input])).toEqual([
    ['GetExecutionHistoryCommand', { executionArn: 'arn', maxResults: 1_000, nextToken: 'more' }],
    ['GetExecutionHistoryCommand', { executionArn: 'arn', maxResults: 1_000, nextToken: 'more' }],
    ['DescribeStateMachineCommand', { stateMachineArn: DEPLOYMENT.stateMachineArn }],
    ['StopExecutionCommand', { executionArn: 'arn' }],
    ['RedriveExecutionCommand', { executionArn: 'arn' }],
  ]);
  states.reset();
  states.rejects(new Error('no'));
  const { stateMachineArn } = DEPLOYMENT;
  await expect(rig.history('arn')).rejects.toThrow('cannot read the history of arn: no');
  await expect(rig.revision()).rejects.toThrow(`cannot describe ${stateMachineArn}: no`);
  await expect(rig.halt('arn')).rejects.toThrow('cannot stop arn: no');
  await expect(rig.redrive('arn')).rejects.toThrow('cannot redrive arn: no');
  await rig.close();
});

test('the API is asked with a signature and without one', async () => {
  deployed({ ...DEPLOYMENT, takesSignatures: true, verification: VERIFICATION });
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  const asked: unknown[] = [];
  vi.stubGlobal('fetch', async (input: Request | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    const { method, url, headers } = request;
    const signature = headers.get('authorization')?.replace(/^(\S+).*/, '$1');
    asked.push([method, url, headers.get('content-type'), signature, await request.text()]);
    return Response.json({ ok: true }, { status: 202 });
  });
  const rig = await openCloudRig('prod');
  expect(await rig.ask('POST', '/agents/a/runs', false, { prompt: 'go' })).toEqual({
    status: 202,
    body: { ok: true },
  });
  await rig.ask('POST', '/agents/a/runs', true, { prompt: 'go' });
  await rig.ask('GET', '/agents', false);
  const url = 'https://api.example/agents/a/runs';
  expect(asked).toEqual([
    ['POST', url, 'application/json', undefined, '{"prompt":"go"}'],
    ['POST', url, 'application/json', 'AWS4-HMAC-SHA256', '{"prompt":"go"}'],
    ['GET', 'https://api.example/agents', null, undefined, ''],
  ]);
  await rig.close();
});

test('a schedule starts one run soon, and is removed unless it has gone by itself', async () => {
  deployed({ ...DEPLOYMENT, takesSignatures: true, verification: VERIFICATION });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-04T05:06:07.250Z') });
  const rig = await openCloudRig('prod');
  const id = await rig.schedule('cadre-verify-quick', 'go');
  const [created] = schedules.commandCalls(CreateScheduleCommand);
  const { Target, Name, ...input } = created?.args[0].input ?? expect.fail();
  const at = Date.parse('2026-03-04T05:06:18.000Z');
  expect([Name, input, { ...Target, Input: JSON.parse(Target?.Input ?? '') }]).toEqual([
    `cadre-prod-verify-${at.toString(36)}`,
    {
      Description: 'Starts one run for cadre verify',
      ScheduleExpression: 'at(2026-03-04T05:06:18)',
      ScheduleExpressionTimezone: 'UTC',
      FlexibleTimeWindow: { Mode: 'OFF' },
      ActionAfterCompletion: 'DELETE',
    },
    {
      Arn: VERIFICATION.startingMachineArn,
      RoleArn: VERIFICATION.schedulerRoleArn,
      Input: {
        agent: 'cadre-verify-quick',
        prompt: 'go',
        time: '<aws.scheduler.scheduled-time>',
        ...tickParts('cadre-verify-quick'),
      },
    },
  ]);
  expect(id).toBe(tickRunId('cadre-verify-quick', at));
  const gone = new ResourceNotFoundException({ message: 'no', Message: 'no', $metadata: {} });
  schedules.on(DeleteScheduleCommand).rejectsOnce(gone).rejects(new Error('no'));
  await rig.close();
  expect(schedules.commandCalls(DeleteScheduleCommand).map(({ args }) => args[0].input)).toEqual([{ Name }]);
  await expect(rig.close()).rejects.toThrow(`cannot remove schedule "${Name}": no`);
});
