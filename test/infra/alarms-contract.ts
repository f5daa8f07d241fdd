import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { readable, type Synthesised } from './synthesise.ts';

const FIVE_MINUTES = 300;
/** Metrics on alarms that an account does not pay for. */
const FREE = 10;
const FUNCTIONS = ['Open', 'Turn', 'Tool', 'Control', 'Settle', 'Api', 'Doors'];

/** By the names of alarms, what they look at and from where on they tell. */
const ALARMS = {
  DeadLetters: {
    Threshold: 1,
    Metrics: ['AWS/SQS ApproximateNumberOfMessagesVisible Maximum QueueName=<DeadLettersQueue.QueueName>'],
  },
  RunsFail: {
    Threshold: 10,
    Metrics: [
      'SUM(METRICS())',
      ...['ExecutionsFailed', 'ExecutionsTimedOut'].map(
        (metric) =>
          `AWS/States ${metric} Sum StateMachineArn=arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:stateMachine:cadre-prod`,
      ),
    ],
  },
  FunctionsFail: { Threshold: 10, Metrics: ['SUM(METRICS())', ...ofFunctions('Errors')] },
  FunctionsThrottled: { Threshold: 10, Metrics: ['SUM(METRICS())', ...ofFunctions('Throttles')] },
  ApiFaults: { Threshold: 5, Metrics: ['AWS/ApiGateway 5xx Sum ApiId=<ApiHttpApi>'] },
  DoorFaults: { Threshold: 5, Metrics: ['AWS/Lambda Url5xxCount Sum FunctionName=<FunctionsDoors>'] },
  SchedulesFail: {
    Threshold: 1,
    Metrics: ['AWS/States ExecutionsFailed Sum StateMachineArn=<SchedulesMachine>'],
  },
};

function ofFunctions(metric: string): string[] {
  return FUNCTIONS.map((name) => `AWS/Lambda ${metric} Sum FunctionName=<Functions${name}>`);
}

/**
 * The notified addresses.
 * @param stack with a schedule and with doors
 */
export function describeAlarms(stack: () => Synthesised): void {
  describe('alarms', () => {
    test('look at five minutes of what they are about, from a threshold of their own', () => {
      const alarms = [...stack().resources('AWS::CloudWatch::Alarm')].map(([id, { Properties }]) => [
        /^Alarms(.*)[0-9A-F]{8}$/.exec(id)?.[1],
        { Threshold: Properties['Threshold'], Metrics: metricsOf(Properties) },
      ]);
      expect(Object.fromEntries(alarms)).toEqual(ALARMS);
    });

    test('cost what the page on deploying says', async () => {
      const metrics = [...stack().resources('AWS::CloudWatch::Alarm').values()]
        .flatMap(({ Properties }) => metricsOf(Properties))
        .filter((metric) => metric !== 'SUM(METRICS())');
      const ofDoors = metrics.filter((metric) => metric.includes('<FunctionsDoors>')).length;
      const dollars = (count: number) => `$${(count / 10).toFixed(2)}`;
      const all = metrics.length - ofDoors;
      const page = await readFile(new URL('../../docs/deploy.md', import.meta.url), 'utf8');
      expect(/^\| alarms.*?\| (.*?) *\|/m.exec(page)?.[1]).toBe(`${dollars(all - FREE)}, to ${dollars(all)}`);
      const doors = /Its alarm and its metrics add up to (\S+) a\s+month/.exec(page)?.[1];
      expect(doors).toBe(dollars(ofDoors));
    });

    test('tell at once, and of nothing where nothing is known', () => {
      for (const { Properties } of stack().resources('AWS::CloudWatch::Alarm').values()) {
        expect(Properties).toMatchObject({
          AlarmActions: [{ Ref: expect.stringMatching(/^AlarmsTopic[0-9A-F]{8}$/) }],
          ComparisonOperator: 'GreaterThanOrEqualToThreshold',
          EvaluationPeriods: 1,
          TreatMissingData: 'notBreaching',
        });
      }
    });

    test("can be delivered: the topic takes this account's alarms, over TLS", () => {
      const [policy, ...others] = stack().resources('AWS::SNS::TopicPolicy').values();
      expect(others).toEqual([]);
      const Resource = { Ref: expect.stringMatching(/^AlarmsTopic[0-9A-F]{8}$/) };
      expect(policy?.Properties).toEqual({
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [
            {
              Sid: expect.any(String),
              Effect: 'Deny',
              Action: 'sns:Publish',
              Principal: '*',
              Resource,
              Condition: { Bool: { 'aws:SecureTransport': 'false' } },
            },
            {
              Sid: expect.any(String),
              Effect: 'Allow',
              Action: 'sns:Publish',
              Principal: { Service: 'cloudwatch.amazonaws.com' },
              Resource,
              Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
            },
          ],
        },
        Topics: [Resource],
      });
    });
  });
}

const Dimensions = v.array(v.object({ Name: v.string(), Value: v.unknown() }));
const Single = v.object({
  Namespace: v.string(),
  MetricName: v.string(),
  Statistic: v.string(),
  Period: v.literal(FIVE_MINUTES),
  Dimensions,
});
const Several = v.object({
  Metrics: v.array(
    v.union([
      v.object({ Expression: v.string(), ReturnData: v.literal(true) }),
      v.object({
        MetricStat: v.object({
          Metric: v.object({ Namespace: v.string(), MetricName: v.string(), Dimensions }),
          Stat: v.string(),
          Period: v.literal(FIVE_MINUTES),
        }),
        ReturnData: v.literal(false),
      }),
    ]),
  ),
});

function metricsOf(alarm: unknown): string[] {
  const toText = (namespace: string, name: string, statistic: string, on: v.InferOutput<typeof Dimensions>) =>
    `${namespace} ${name} ${statistic} ${on.map(({ Name, Value }) => `${Name}=${readable(Value)}`).join(' ')}`;
  const several = v.safeParse(Several, alarm);
  if (several.success) {
    return several.output.Metrics.map((metric) => {
      if ('Expression' in metric) return metric.Expression;
      const { Metric, Stat } = metric.MetricStat;
      return toText(Metric.Namespace, Metric.MetricName, Stat, Metric.Dimensions);
    });
  }
  const single = v.parse(Single, alarm);
  return [toText(single.Namespace, single.MetricName, single.Statistic, single.Dimensions)];
}
