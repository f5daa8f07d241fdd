import { beforeAll, describe, expect, test } from 'vitest';
import { FUNCTIONS } from '../../src/plan/functions.ts';
import { synthesise, type Grant, type Synthesised } from './synthesise.ts';

let stack: Synthesised;
beforeAll(async () => {
  const model = (name: string) =>
    `name = "${name}"\nmodel = "bedrock/amazon.nova-pro-v1:0"\n[schedule]\nrate = "1 day"\n`;
  stack = await synthesise('dev', { agents: { daily: model('daily') } });
});

/** What our roles may do to everything there is, and why it cannot be less. */
const ON_EVERYTHING = new Map([
  ['xray:PutTraceSegments', 'traces have no ARN (X-Ray, "Actions, resources, and condition keys")'],
  ['xray:PutTelemetryRecords', 'as above'],
  ['xray:GetSamplingRules', 'as above'],
  ['xray:GetSamplingTargets', 'as above'],
  ['logs:CreateLogDelivery', 'deliveries of logs have no ARN (Step Functions, "Logging to CloudWatch Logs")'],
  ['logs:GetLogDelivery', 'as above'],
  ['logs:UpdateLogDelivery', 'as above'],
  ['logs:DeleteLogDelivery', 'as above'],
  ['logs:ListLogDeliveries', 'as above'],
  ['logs:PutResourcePolicy', 'as above'],
  ['logs:DescribeResourcePolicies', 'as above'],
  ['logs:DescribeLogGroups', 'as above'],
]);

/** What every function may do, because Lambda does it in its name. */
const BY_LAMBDA = [
  'logs:CreateLogStream on its log',
  'logs:PutLogEvents on its log',
  'xray:PutTelemetryRecords on everything',
  'xray:PutTraceSegments on everything',
];

describe('a function', () => {
  test.each(Object.entries(FUNCTIONS))('may do what it does and no more: %s', (name, { may }) => {
    const capital = name[0]?.toUpperCase() + name.slice(1);
    const granted = stack.grantsOf(`Functions${capital}PartsRole`).map(toText);
    const declared = Object.entries(may).flatMap(([place, actions]: [string, readonly string[]]) =>
      actions.map((action) => `${action} on ${place}`),
    );
    expect(granted.sort()).toEqual([...declared, ...BY_LAMBDA].sort());
  });
});

describe('no role', () => {
  test('may do a thing to everything without a reason', () => {
    const policies = [...stack.resources('AWS::IAM::Role').keys()].flatMap((id) => stack.grantsOf(id));
    const wide = policies
      .filter(({ resource }) => JSON.stringify(resource) === '"*"')
      .map(({ action }) => action);
    expect(wide.filter((action) => !ON_EVERYTHING.has(action))).toEqual([]);
    expect(new Set(wide)).toEqual(new Set(ON_EVERYTHING.keys()));
  });

  test('may do everything of a service', () => {
    const policies = [...stack.resources('AWS::IAM::Role').keys()].flatMap((id) => stack.grantsOf(id));
    expect(policies.filter(({ action }) => action.includes('*'))).toEqual([]);
  });

  // CDK brings a function of its own, which empties the bucket before it goes.
  test('has a managed policy, which would be wider than its function', () => {
    const managed = [...stack.resources('AWS::IAM::Role')]
      .filter(([, { Properties }]) => Properties['ManagedPolicyArns'] !== undefined)
      .map(([id]) => id);
    expect(managed).toEqual([expect.stringMatching(/^CustomS3AutoDeleteObjects/)]);
  });
});

/** How what a grant is on reads in a template, most particular first. */
const PLACES: [RegExp, string][] = [
  [/^"\*"$/, 'everything'],
  [/PartsLog/, 'its log'],
  [/StoreTable/, 'the table'],
  [/StoreBucket.*\/runs\/\*/, 'runs/ of the bucket'],
  [/StoreBucket/, 'workspace/ of the bucket'],
  [/ProviderKeysSecret/, 'the secret of keys'],
  [/DeadLettersQueue/, 'the queue of dead letters'],
  [/:stateMachine:cadre-dev"/, 'the machine'],
  [/:execution:cadre-dev:\*/, 'executions of the machine'],
  [/:bedrock:/, 'models on Bedrock that agents use'],
];

function toText({ action, resource }: Grant): string {
  const text = JSON.stringify(resource);
  const place = PLACES.find(([pattern]) => pattern.test(text))?.[1];
  return `${action} on ${place ?? text}`;
}
