import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DescribeExecutionCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, onTestFinished, test } from 'vitest';
import { STARTS } from '../../infra/grants.ts';
import { openCloudEnvironment } from '../../src/places/aws/cloud-environment.ts';
import { aRun } from '../fixtures/records.ts';

test('a principal that may start runs may do all that starting one takes', async () => {
  const [settings, table, states] = [
    mockClient(SSMClient),
    mockClient(DynamoDBClient),
    mockClient(SFNClient),
  ];
  onTestFinished(() => {
    for (const mocked of [settings, table, states]) mocked.restore();
  });
  const run = aRun({});
  const stateMachineArn = 'arn:aws:states:eu-west-1:123456789012:stateMachine:cadre-dev';
  const deployment = {
    region: 'eu-west-1',
    stateMachineArn,
    tableName: 'table',
    bucketName: 'bucket',
    apiUrl: 'https://api.example',
    keepDays: 30,
    limits: { usdPerDay: 10 },
  };
  settings.on(GetParameterCommand).resolves({ Parameter: { Value: JSON.stringify(deployment) } });
  const started = () => table.commandCalls(PutItemCommand).length > 0 && states.calls().length > 1;
  table.on(GetItemCommand).callsFake(({ Key }) => {
    const isRecord = started() && Key.sort.S === `run#${run.id}`;
    return isRecord ? { Item: { ...Key, value: { S: JSON.stringify(run) }, version: { N: '1' } } } : {};
  });
  table.on(PutItemCommand).resolves({});
  states.on(StartExecutionCommand).resolves({ executionArn: run.execution });
  states.on(DescribeExecutionCommand).resolves({ status: 'RUNNING' });

  const environment = await openCloudEnvironment('dev');
  expect(await environment.start({ id: run.id, request: { agent: run.agent, prompt: 'go' } })).toEqual(run);
  const actionsOf = (mocked: { calls(): readonly { args: readonly [object, ...unknown[]] }[] }) => [
    ...new Set(mocked.calls().map(({ args: [command] }) => command.constructor.name.replace(/Command$/, ''))),
  ];
  expect(STARTS.items).toEqual(expect.arrayContaining(actionsOf(table)));
  expect(['StartExecution', ...STARTS.executions]).toEqual(expect.arrayContaining(actionsOf(states)));
});
