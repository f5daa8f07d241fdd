import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Api } from './api.ts';
import type { Conversation } from './conversation.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { EnvironmentSettings } from './environment-settings.ts';
import type { Functions } from './functions.ts';
import type { Schedules } from './schedules.ts';

export interface AlarmsProps {
  settings: EnvironmentSettings;
  api: Api;
  conversation: Conversation;
  functions: Functions;
  schedules: Schedules;
  deadLetters: DeadLetters;
}

/** The faults that an operator should hear of. Without an address the alarms only show in the console. */
export class Alarms extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { settings, api, conversation, functions, schedules, deadLetters } = props;
    this.topic = new Topic(this, 'Topic', { displayName: `Cadre ${settings.name}`, enforceSSL: true });
    // A policy of the topic's own, such as the one about TLS, takes the place of the default, by which alarms may
    // publish.
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        actions: ['sns:Publish'],
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (settings.alarmEmail !== '') this.topic.addSubscription(new EmailSubscription(settings.alarmEmail));

    const period = Duration.minutes(5);
    const { machine } = conversation;
    this.#add('DeadLetters', {
      metric: deadLetters.queue.metricApproximateNumberOfMessagesVisible({ period, statistic: 'max' }),
      threshold: 1,
      description:
        'An end of a run was not written down, what a person wrote did not reach its agent, or a scheduled run did not start: look into the queue',
    });
    // One agent's failure is its owner's business; many at once are a broken deployment, key or provider.
    this.#add('RunsFail', {
      metric: new MathExpression({
        // Other than +, it takes a metric without a value for 0.
        expression: 'SUM(METRICS())',
        usingMetrics: {
          failed: machine.metricFailed({ period, statistic: 'sum' }),
          late: machine.metricTimedOut({ period, statistic: 'sum' }),
        },
        period,
      }),
      threshold: 10,
      description: 'Ten runs or more failed within five minutes',
    });
    this.#add('FunctionsFail', {
      metric: functions.metricSum('Errors', period),
      threshold: 10,
      description: 'Ten calls of functions or more failed within five minutes: see their logs',
    });
    this.#add('FunctionsThrottled', {
      metric: functions.metricSum('Throttles', period),
      threshold: 10,
      description:
        'Turns or requests wait for a free function: raise turnConcurrency or apiConcurrency, or the quota of the account',
    });
    this.#add('ApiFaults', {
      metric: api.api.metricServerError({ period, statistic: 'sum' }),
      threshold: 5,
      description: 'The API answers with faults of its own',
    });
    const { doors } = functions;
    if (doors !== undefined) {
      this.#add('DoorFaults', {
        metric: doors.metric('Url5xxCount', { period, statistic: 'sum' }),
        threshold: 5,
        description: 'The doors for clients of OpenAI and MCP answer with faults of their own',
      });
    }
    if (schedules.machine !== undefined) {
      this.#add('SchedulesFail', {
        metric: schedules.machine.metricFailed({ period, statistic: 'sum' }),
        threshold: 1,
        description: 'A scheduled run did not start: look at the last execution of the schedule machine',
      });
    }
  }

  #add(id: string, alarm: { metric: IMetric; threshold: number; description: string }): void {
    new Alarm(this, id, {
      metric: alarm.metric,
      threshold: alarm.threshold,
      alarmDescription: alarm.description,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    }).addAlarmAction(new SnsAction(this.topic));
  }
}
