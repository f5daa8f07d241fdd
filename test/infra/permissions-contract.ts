import { describe, expect, test } from 'vitest';
import { FUNCTIONS } from '../../src/authoring/plan/functions.ts';
import type { Grant, Synthesised } from './synthesise.ts';

/** The permissions of our roles on all resources, and why they cannot be less. */
const ON_EVERYTHING = new Map([
  ...[
    'ec2:AssignPrivateIpAddresses',
    'ec2:CreateNetworkInterface',
    'ec2:DeleteNetworkInterface',
    'ec2:DescribeNetworkInterfaces',
    'ec2:DescribeSubnets',
    'ec2:UnassignPrivateIpAddresses',
  ].map((action): [string, string] => [action, 'Lambda makes interfaces in a VPC; the code is denied it']),
  ['xray:PutTraceSegments', 'traces have no ARN (X-Ray, "Actions, resources, and condition keys")'],
  ['xray:PutTelemetryRecords', 'as above'],
  ['xray:GetSamplingRules', 'as above'],
  ['xray:GetSamplingTargets', 'as above'],
  ['dynamodb:ListStreams', 'a list of streams has no ARN'],
  ['logs:CreateLogDelivery', 'deliveries of logs have no ARN (Step Functions, "Logging to CloudWatch Logs")'],
  ['logs:GetLogDelivery', 'as above'],
  ['logs:UpdateLogDelivery', 'as above'],
  ['logs:DeleteLogDelivery', 'as above'],
  ['logs:ListLogDeliveries', 'as above'],
  ['logs:PutResourcePolicy', 'as above'],
  ['logs:DescribeResourcePolicies', 'as above'],
  ['logs:DescribeLogGroups', 'as above'],
]);

/** The permissions of every function, because Lambda acts in its name. */
const BY_LAMBDA = (log: string) => [
  `logs:CreateLogStream on <${log}.Arn>`,
  `logs:PutLogEvents on <${log}.Arn>`,
  'xray:PutTelemetryRecords on everything',
  'xray:PutTraceSegments on everything',
];

/**
 * The permissions of a stack's roles.
 * @param stack with doors, notifications, telemetry, a schedule, a model on Bedrock, a server of tools, one that people sign in to, a remote agent, a memory to search, a sandbox and a
 * function of the user's own, so that all roles and grants are there
 */
export function describePermissions(stack: () => Synthesised): void {
  describe('a function', () => {
    test.each(Object.entries(FUNCTIONS))('may do what it does and no more: %s', (name, { may }) => {
      const capital = name[0]?.toUpperCase() + name.slice(1);
      // A model on Bedrock is granted with what it leads to, which plans count as one.
      const granted = [...new Set(stack().grantsOf(`Functions${capital}PartsRole`).map(toText))];
      const declared = Object.entries(may).flatMap(([place, actions]: [string, readonly string[]]) =>
        actions.map((action) => `${action} on ${place}`),
      );
      expect(granted.sort()).toEqual([...declared, ...BY_LAMBDA(`Functions${capital}PartsLog`)].sort());
    });
  });

  describe('no function', () => {
    const whoMay = (...wanted: string[]) =>
      Object.keys(FUNCTIONS).filter((name) => {
        const role = `Functions${name[0]?.toUpperCase()}${name.slice(1)}PartsRole`;
        return stack()
          .grantsOf(role)
          .some(({ action }) => wanted.includes(action));
      });

    test('but those that reach agents, or bring what they wait for, wakes executions; the API and the doors start and stop besides what people ask it to', () => {
      expect(whoMay('states:SendTaskSuccess', 'states:SendTaskFailure')).toEqual([
        'control',
        'settle',
        'batch',
      ]);
      expect(whoMay('states:StartExecution', 'states:StopExecution', 'states:RedriveExecution')).toEqual([
        'control',
        'settle',
        'batch',
        'api',
        'doors',
      ]);
    });
  });

  test('those who follow runs have a function that starts, stops and changes none of them', () => {
    const writes = stack()
      .grantsOf('FunctionsWatchPartsRole')
      .filter(({ action }) => /:(Put|Update|Delete|Start|Stop|Send|Invoke|Redrive)/.test(action))
      .filter(({ action }) => !/^(logs|xray):/.test(action));
    expect(writes.map(({ action, condition }) => [action, condition])).toEqual(
      ['dynamodb:PutItem', 'dynamodb:UpdateItem'].map((action) => [
        action,
        { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['watch#*'] } },
      ]),
    );
  });

  describe('no role', () => {
    test('may do a thing to everything without a reason', () => {
      const policies = [...stack().resources('AWS::IAM::Role').keys()].flatMap((id) => stack().grantsOf(id));
      const wide = policies.filter(({ resource }) => resource === '*').map(({ action }) => action);
      expect(wide.filter((action) => !ON_EVERYTHING.has(action))).toEqual([]);
      expect(new Set(wide)).toEqual(new Set(ON_EVERYTHING.keys()));
    });

    test('may do everything of a service', () => {
      const policies = [...stack().resources('AWS::IAM::Role').keys()].flatMap((id) => stack().grantsOf(id));
      expect(policies.filter(({ action }) => action.includes('*'))).toEqual([]);
    });

    test('has a managed policy, which would be wider than its function', () => {
      const managed = [...stack().resources('AWS::IAM::Role')].filter(
        ([, { Properties }]) => Properties['ManagedPolicyArns'] !== undefined,
      );
      expect(managed).toEqual([]);
    });
  });
}

const ACCOUNT = '<AWS::Region>:<AWS::AccountId>';

/** The resources of grants, to the letter, and plans' names for them. */
const PLACES: Record<string, string> = {
  '*': 'everything',
  '<StoreTable.Arn>': 'the table',
  '<StoreTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["questions","open#*","open"]}}':
    'lists of what is open in the table',
  '<StoreTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["watch#*"]}}':
    'notes of who watches in the table',
  '<StoreTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["key#*"]}}': 'keys in the table',
  '<StoreTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["run#*"]}}': 'turns in the table',
  '<StoreTable.StreamArn>': "the table's stream",
  '<TelemetrySecret>': 'the secret of telemetry',
  '<NotifySecret>': 'the secret of notifications',
  '<NotifyTopic>': 'the topic of questions',
  '<StoreTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["memory#*","memory@*"]}}':
    'memories in the table',
  '<StoreBucket.Arn>/memory/*': 'memory/ of the bucket',
  'arn:<AWS::Partition>:bedrock:<AWS::Region>::foundation-model/amazon.titan-embed-text-v2:0':
    'models on Bedrock that agents use',
  '<StoreBucket.Arn>/runs/*': 'runs/ of the bucket',
  '<StoreBucket.Arn>/workspace/*': 'workspace/ of the bucket',
  '<StoreBucket.Arn>/workspace@*': 'workspace/ of the bucket',
  '<StoreBucket.Arn> if {"StringLike":{"s3:prefix":["workspace/*","workspace@*"]}}':
    'workspace/ of the bucket',
  '<ProviderKeysSecret>': 'the secret of keys',
  '<ServerSecretsSecret>': 'the secret of servers',
  '<LoginsKeySecret>': 'the secret of sign-ins',
  '<StoreTable.Arn> if {"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["login@*"]}}':
    'sign-ins in the table',
  '<FunctionsControl.Arn>': 'the control function',
  '<FunctionsTool.Arn>': 'the tool function',
  [`arn:<AWS::Partition>:events:${ACCOUNT}:event-bus/default if {"StringEquals":{"events:source":"cadre","events:detail-type":"Question asked"}}`]:
    'the event bus, to tell of questions',
  '<SandboxesFiles.Arn>': 'the role for the files of commands',
  '<Sandboxessandbox.Arn>:*': 'the functions that commands run in',
  '<DeadLettersQueue.Arn>': 'the queue of dead letters',
  [`arn:<AWS::Partition>:states:${ACCOUNT}:stateMachine:cadre-prod`]: 'the machine',
  [`arn:<AWS::Partition>:states:${ACCOUNT}:stateMachine:cadre-prod-batches`]: 'the machine of batches',
  [`arn:<AWS::Partition>:states:${ACCOUNT}:execution:cadre-prod:*`]: 'executions of the machine',
  [`arn:<AWS::Partition>:bedrock:${ACCOUNT}:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0`]:
    'models on Bedrock that agents use',
  'arn:<AWS::Partition>:bedrock:*::foundation-model/anthropic.claude-sonnet-4-5-20250929-v1:0':
    'models on Bedrock that agents use',
  [`arn:<AWS::Partition>:bedrock:${ACCOUNT}:guardrail/abc123`]: 'guardrails of Bedrock that agents use',
  [`arn:<AWS::Partition>:lambda:${ACCOUNT}:function:team-stock`]: 'functions that agents name',
};

function toText({ action, resource, condition }: Grant): string {
  const place = resource + (condition === undefined ? '' : ` if ${JSON.stringify(condition)}`);
  return `${action} on ${PLACES[place] ?? place}`;
}
