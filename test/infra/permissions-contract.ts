import { describe, expect, test } from 'vitest';
import { FUNCTIONS } from '../../src/plan/functions.ts';
import type { Grant, Synthesised } from './synthesise.ts';

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

/**
 * What roles of a stack may do.
 * @param stack with a schedule and a model on Bedrock, so that all roles are there
 */
export function describePermissions(stack: () => Synthesised): void {
  describe('a function', () => {
    test.each(Object.entries(FUNCTIONS))('may do what it does and no more: %s', (name, { may }) => {
      const capital = name[0]?.toUpperCase() + name.slice(1);
      const granted = stack().grantsOf(`Functions${capital}PartsRole`).map(toText);
      const declared = Object.entries(may).flatMap(([place, actions]: [string, readonly string[]]) =>
        actions.map((action) => `${action} on ${place}`),
      );
      expect(granted.sort()).toEqual([...declared, ...BY_LAMBDA].sort());
    });
  });

  describe('no role', () => {
    test('may do a thing to everything without a reason', () => {
      const policies = [...stack().resources('AWS::IAM::Role').keys()].flatMap((id) => stack().grantsOf(id));
      const wide = policies
        .filter(({ resource }) => JSON.stringify(resource) === '"*"')
        .map(({ action }) => action);
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

/** How what a grant is on reads in a template, most particular first. */
const PLACES: [RegExp, string][] = [
  [/^"\*"$/, 'everything'],
  [/PartsLog/, 'its log'],
  [/StoreTable/, 'the table'],
  [/StoreBucket.*\/runs\/\*/, 'runs/ of the bucket'],
  [/StoreBucket/, 'workspace/ of the bucket'],
  [/ProviderKeysSecret/, 'the secret of keys'],
  [/DeadLettersQueue/, 'the queue of dead letters'],
  [/:stateMachine:cadre-\w+"/, 'the machine'],
  [/:execution:cadre-\w+:\*/, 'executions of the machine'],
  [/:bedrock:/, 'models on Bedrock that agents use'],
];

function toText({ action, resource }: Grant): string {
  const text = JSON.stringify(resource);
  const place = PLACES.find(([pattern]) => pattern.test(text))?.[1];
  return `${action} on ${place ?? text}`;
}
