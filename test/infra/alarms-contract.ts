import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { readable, type Synthesised } from './synthesise.ts';

const FIVE_MINUTES = 300;
/** Metrics on alarms that an account does not pay for. */
const FREE = 10;
const MACHINE = 'arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:stateMachine:cadre-prod';
const TREES = (outcome: string) => `Cadre trees Sum environment=prod outcome=${outcome}`;
const SHARE_OF_TREES = 'IF(failed >= 3, 100 * failed / SUM(METRICS()), 0)';

/** By the names of alarms, what they look at and from where on they tell. */
const ALARMS = {
  'dead-letters': {
    Threshold: 1,
    Metrics: ['AWS/SQS ApproximateNumberOfMessagesVisible Maximum QueueName=<DeadLettersQueue.QueueName>'],
  },
  'dead-letters-old': {
    Threshold: 604_800,
    Metrics: ['AWS/SQS ApproximateAgeOfOldestMessage Maximum QueueName=<DeadLettersQueue.QueueName>'],
  },
  'trees-fail': { Threshold: 20, Metrics: [SHARE_OF_TREES, TREES('code'), TREES('answered')] },
  'models-fail': { Threshold: 20, Metrics: [SHARE_OF_TREES, TREES('model'), TREES('answered')] },
  'functions-fail': {
    Threshold: 10,
    Metrics: [
      'SUM(METRICS())',
      ...['Tool', 'Control', 'Settle', 'Batch'].map(
        (name) => `AWS/Lambda Errors Sum FunctionName=<Functions${name}>`,
      ),
    ],
  },
  'functions-throttled': {
    Threshold: 10,
    Metrics: [
      'IF(SUM(METRICS("throttles")) >= 10, 100 * SUM(METRICS("throttles")) / SUM(METRICS()), 0)',
      ...['Open', 'Turn', 'Tool', 'Api'].flatMap((name) =>
        ['Throttles', 'Invocations'].map(
          (metric) => `AWS/Lambda ${metric} Sum FunctionName=<Functions${name}>`,
        ),
      ),
    ],
  },
  'api-faults': {
    Threshold: 5,
    Metrics: [
      'faults - MAX([full, TIME_SERIES(0)])',
      'AWS/ApiGateway 5xx Sum ApiId=<ApiHttpApi>',
      'AWS/Lambda Throttles Sum FunctionName=<FunctionsWatch>',
    ],
  },
  'watchers-throttled': {
    Threshold: 10,
    Metrics: ['AWS/Lambda Throttles Sum FunctionName=<FunctionsWatch>'],
  },
  'door-faults': { Threshold: 5, Metrics: ['AWS/Lambda Url5xxCount Sum FunctionName=<FunctionsDoors>'] },
  'doors-throttled': { Threshold: 10, Metrics: ['AWS/Lambda Throttles Sum FunctionName=<FunctionsDoors>'] },
  'states-throttled': {
    Threshold: 100,
    Metrics: [
      'SUM(METRICS())',
      `AWS/States ExecutionThrottled Sum StateMachineArn=${MACHINE}`,
      'AWS/States ThrottledEvents Sum APIName=StartExecution',
      'AWS/States ThrottledEvents Sum APIName=StartSyncExecution',
    ],
  },
  'table-throttled': {
    Threshold: 100,
    Metrics: [
      'SUM(METRICS())',
      ...['Read', 'Write'].map((kind) => `AWS/DynamoDB ${kind}ThrottleEvents Sum TableName=<StoreTable>`),
    ],
  },
  'executions-aborted': {
    Threshold: 100,
    Metrics: [`AWS/States ExecutionsAborted Sum StateMachineArn=${MACHINE}`],
  },
  'limits-near': { Threshold: 1, Metrics: ['Cadre nearLimits Sum environment=prod'] },
  'sweep-findings': { Threshold: 1, Metrics: ['Cadre sweepFindings Sum environment=prod'] },
  'schedules-fail': {
    Threshold: 1,
    Metrics: [
      'SUM(METRICS())',
      ...['Failed', 'TimedOut'].map(
        (how) => `AWS/States Executions${how} Sum StateMachineArn=<SchedulesMachine>`,
      ),
    ],
  },
};

/** Those of which any means that agents do not work. */
const DOWN = ['trees-fail', 'models-fail', 'functions-fail', 'api-faults', 'door-faults'];

/** The sections of the runbook, as links name them. */
async function runbookSections(): Promise<string[]> {
  const page = await readFile(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
  return [...page.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'));
}

/**
 * The notified addresses.
 * @param stack with a schedule and with doors
 */
export function describeAlarms(stack: () => Synthesised): void {
  describe('alarms', () => {
    test('look at five minutes of what they are about, from a threshold of their own', () => {
      const alarms = [...stack().resources('AWS::CloudWatch::Alarm').values()].map(({ Properties }) => [
        /^cadre-prod-(.*)$/.exec(String(Properties['AlarmName']))?.[1],
        { Threshold: Properties['Threshold'], Metrics: metricsOf(Properties) },
      ]);
      expect(Object.fromEntries(alarms)).toEqual(ALARMS);
    });

    test('say in the runbook what to do: each has a section there', async () => {
      const sections = await runbookSections();
      for (const type of ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm']) {
        for (const { Properties } of stack().resources(type).values()) {
          const name = String(Properties['AlarmName']).replace(/^cadre-prod-/, '');
          expect(Properties['AlarmDescription']).toMatch(new RegExp(`^\\S.*: docs/runbook\\.md#${name}$`));
          expect(sections).toContain(name);
        }
      }
    });

    test('wake somebody once, whichever of them say that agents are down, and tell when it is over', () => {
      const [composite, ...others] = stack().resources('AWS::CloudWatch::CompositeAlarm').values();
      expect(others).toEqual([]);
      const names = new Map(
        [...stack().resources('AWS::CloudWatch::Alarm')].map(([id, { Properties }]) => [
          id,
          String(Properties['AlarmName']).replace(/^cadre-prod-/, ''),
        ]),
      );
      const page = [{ Ref: expect.stringMatching(/^AlarmsPages[0-9A-F]{8}$/) }];
      expect(composite?.Properties).toMatchObject({
        AlarmName: 'cadre-prod-agents-are-down',
        AlarmActions: page,
        OKActions: page,
      });
      const { 'Fn::Join': rule } = v.parse(
        v.object({ 'Fn::Join': v.tuple([v.literal(''), v.array(v.unknown())]) }),
        composite?.Properties['AlarmRule'],
      );
      const text = rule[1].map((part) => {
        const ref = v.safeParse(v.object({ 'Fn::GetAtt': v.tuple([v.string(), v.literal('Arn')]) }), part);
        return ref.success ? names.get(ref.output['Fn::GetAtt'][0]) : part;
      });
      expect(text.join('')).toBe(`(${DOWN.map((name) => `ALARM("${name}")`).join(' OR ')})`);
    });

    test('cost what the page on deploying says', async () => {
      const metrics = [...stack().resources('AWS::CloudWatch::Alarm').values()]
        .flatMap(({ Properties }) => metricsOf(Properties))
        .filter((metric) => /^(AWS\/|Cadre )/.test(metric));
      const ofDoors = metrics.filter((metric) => metric.includes('<FunctionsDoors>')).length;
      const dollars = (count: number) => `$${(count / 10).toFixed(2)}`;
      // A composite alarm is $0.50, and none is free.
      const composite = 5;
      const all = metrics.length - ofDoors + composite;
      const page = await readFile(new URL('../../docs/deploy.md', import.meta.url), 'utf8');
      expect(/^\| alarms.*?\| (.*?) *\|/m.exec(page)?.[1]).toBe(`${dollars(all - FREE)}, to ${dollars(all)}`);
      const doors = /Its alarms and their metrics add up to (\S+) a\s+month/.exec(page)?.[1];
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

    test.each([
      ['all alarms', /^AlarmsTopic[0-9A-F]{8}$/],
      ['pages', /^AlarmsPages[0-9A-F]{8}$/],
    ])("can be delivered: the topic of %s takes this account's, over TLS", (_, topic) => {
      const policies = [...stack().resources('AWS::SNS::TopicPolicy')];
      const [, policy] = policies.find(([id]) => topic.test(id.replace('Policy', ''))) ?? [];
      const Resource = { Ref: expect.stringMatching(topic) };
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
