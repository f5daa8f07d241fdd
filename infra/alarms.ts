import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmRule,
  AlarmState,
  ComparisonOperator,
  CompositeAlarm,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Construct } from 'constructs';
import { METRICS, METRICS_NAMESPACE, type TreeOutcome } from '../src/places/aws/variables.ts';
import { type AlarmTopics, openAlarmTopics } from './alarm-topics.ts';
import type { Api } from './api.ts';
import type { Conversation } from './conversation.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { EnvironmentSettings } from './environment-settings.ts';
import type { Functions } from './functions.ts';
import type { Schedules } from './schedules.ts';
import type { Store } from './store.ts';

export interface AlarmsProps {
  settings: EnvironmentSettings;
  api: Api;
  conversation: Conversation;
  functions: Functions;
  schedules: Schedules;
  deadLetters: DeadLetters;
  store: Store;
}

interface AlarmText {
  /** What it looks at, five minutes at a time. */
  metric: IMetric;
  /** From where on it tells. */
  threshold: number;
  /** What has happened. The section of the runbook, named after the alarm, says what to do. */
  description: string;
}

const PERIOD = Duration.minutes(5);
const SUM = { period: PERIOD, statistic: 'sum' };
const LARGEST = { period: PERIOD, statistic: 'max' };

/** Below this many, a share says nothing. */
const FEW_TREES = 3;
const FEW_THROTTLES = 10;

/**
 * The faults that an operator should hear of: each alarm tells the topic for mail, and one that is made of those which
 * mean that agents do not work tells the topic for pages too.
 */
export class Alarms extends Construct {
  readonly topics: AlarmTopics;
  readonly #stem: string;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { settings, api, conversation, functions, schedules, deadLetters, store } = props;
    this.topics = openAlarmTopics(this, settings);
    this.#stem = settings.stem;

    const { queue } = deadLetters;
    this.#add('dead-letters', {
      metric: queue.metricApproximateNumberOfMessagesVisible(LARGEST),
      threshold: 1,
      description:
        'An end of a run was not written down, what a person wrote did not reach its agent, or a scheduled run did not start',
    });
    this.#add('dead-letters-old', {
      metric: queue.metricApproximateAgeOfOldestMessage(LARGEST),
      threshold: Duration.days(7).toSeconds(),
      description: 'A dead letter has lain for a week, and is lost after another one',
    });
    const down = [
      this.#add('trees-fail', {
        metric: shareOfTrees(settings, 'code'),
        threshold: 20,
        description:
          'At least a fifth of the trees that ended failed for other reasons than their model: the deployment, its permissions or its agents',
      }),
      this.#add('models-fail', {
        metric: shareOfTrees(settings, 'model'),
        threshold: 20,
        description: 'At least a fifth of the trees that ended failed because of their model or its key',
      }),
      this.#add('functions-fail', {
        // What open and turn do wrong ends trees, and in turn models fail, too; servers have alarms of their own.
        metric: sumOf({
          tool: functions.tool.metricErrors(SUM),
          control: functions.control.metricErrors(SUM),
          settle: functions.settle.metricErrors(SUM),
          batch: functions.batch.metricErrors(SUM),
        }),
        threshold: 10,
        description: 'Ten calls or more of the functions tool, control, settle and batch failed',
      }),
      this.#add('api-faults', {
        metric: faultsOf(api, functions),
        threshold: 5,
        description: 'The API answers with faults of its own',
      }),
    ];
    this.#add('watchers-throttled', {
      metric: functions.watch.metricThrottles(SUM),
      threshold: FEW_THROTTLES,
      description:
        'More clients follow runs than there are functions for them: some see nothing new for a while',
    });
    if (functions.doors !== undefined) {
      down.push(
        this.#add('door-faults', {
          metric: functions.doors.metric('Url5xxCount', SUM),
          threshold: 5,
          description: 'The doors for clients of OpenAI and MCP answer with faults of their own',
        }),
      );
      this.#add('doors-throttled', {
        metric: functions.doors.metricThrottles(SUM),
        threshold: FEW_THROTTLES,
        description: 'More requests came to the doors than there are functions for them: some were refused',
      });
    }
    this.#add('functions-throttled', {
      metric: throttledShare(functions),
      threshold: 10,
      description: 'At least a tenth of the calls of functions found none free: turns or requests wait',
    });
    const { machine } = conversation;
    this.#add('states-throttled', {
      metric: sumOf({
        transitions: machine.metricThrottled(SUM),
        // Of the whole account, which has one quota for each.
        starts: startsThrottled('StartExecution'),
        leaves: startsThrottled('StartSyncExecution'),
      }),
      threshold: 100,
      description:
        'Step Functions delays executions: the account starts more, or enters more states, than its quotas allow',
    });
    this.#add('table-throttled', {
      metric: sumOf({
        reads: store.table.metric('ReadThrottleEvents', SUM),
        writes: store.table.metric('WriteThrottleEvents', SUM),
      }),
      threshold: 100,
      description:
        'DynamoDB refuses requests for the table: one partition, or the account, is asked too much',
    });
    this.#add('executions-aborted', {
      metric: machine.metricAborted(SUM),
      threshold: 100,
      description: 'A hundred executions or more were stopped: by somebody, or with agents above them',
    });
    this.#add('sweep-findings', {
      metric: metricOf(settings, METRICS.sweepFindings),
      threshold: 1,
      description:
        'The sweep found runs that had ended unnoticed, or could not do its work; or a run failed before it was written down',
    });
    this.#add('limits-near', {
      metric: metricOf(settings, METRICS.nearLimits),
      threshold: 1,
      description:
        'Four fifths of a limit per day are gone; where all of it is, runs are refused until midnight (UTC)',
    });
    if (schedules.machine !== undefined) {
      this.#add('schedules-fail', {
        metric: sumOf({
          failed: schedules.machine.metricFailed(SUM),
          timedOut: schedules.machine.metricTimedOut(SUM),
        }),
        threshold: 1,
        description: 'A scheduled run did not start',
      });
    }
    this.#addDown(down);
  }

  #add(name: string, { metric, threshold, description }: AlarmText): Alarm {
    const alarm = new Alarm(this, name, {
      ...this.#head(name, description),
      metric,
      threshold,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.topics.mail));
    return alarm;
  }

  /** One page, however many of them tell. */
  #addDown(causes: readonly Alarm[]): void {
    const name = 'agents-are-down';
    const { alarmName, alarmDescription } = this.#head(name, 'Trees, models, functions or the API fail');
    const page = new SnsAction(this.topics.pages);
    const composite = new CompositeAlarm(this, name, {
      compositeAlarmName: alarmName,
      alarmDescription,
      alarmRule: AlarmRule.anyOf(...causes.map((cause) => AlarmRule.fromAlarm(cause, AlarmState.ALARM))),
    });
    composite.addAlarmAction(page);
    composite.addOkAction(page);
  }

  #head(name: string, description: string) {
    return {
      alarmName: `${this.#stem}-${name}`,
      alarmDescription: `${description}: docs/runbook.md#${name}`,
    };
  }
}

/** @param call of Step Functions' API that starts executions */
function startsThrottled(call: string): IMetric {
  const dimensionsMap = { APIName: call };
  return new Metric({ namespace: 'AWS/States', metricName: 'ThrottledEvents', dimensionsMap, ...SUM });
}

function sumOf(usingMetrics: Record<string, IMetric>): MathExpression {
  // Other than +, it takes a metric without a value for 0.
  return new MathExpression({ expression: 'SUM(METRICS())', usingMetrics, period: PERIOD });
}

/** The share of trees that failed so, in per cent, of those that were answered or failed so. */
function shareOfTrees(settings: EnvironmentSettings, outcome: TreeOutcome): MathExpression {
  const of = (each: TreeOutcome) => metricOf(settings, METRICS.trees, { outcome: each });
  return new MathExpression({
    expression: `IF(failed >= ${FEW_TREES}, 100 * failed / SUM(METRICS()), 0)`,
    usingMetrics: { failed: of(outcome), answered: of('answered') },
    period: PERIOD,
  });
}

/** A metric that our functions write to their logs. */
function metricOf({ name }: EnvironmentSettings, metricName: string, dimensions = {}): Metric {
  return new Metric({
    namespace: METRICS_NAMESPACE,
    metricName,
    dimensionsMap: { environment: name, ...dimensions },
    ...SUM,
  });
}

/** What the API answers with a status from 500, but for clients who follow runs and found no function free. */
function faultsOf({ api }: Api, { watch }: Functions): MathExpression {
  return new MathExpression({
    // Nothing is known of a function that nobody has called yet.
    expression: 'faults - MAX([full, TIME_SERIES(0)])',
    usingMetrics: { faults: api.metricServerError(SUM), full: watch.metricThrottles(SUM) },
    period: PERIOD,
  });
}

/**
 * How many calls in a hundred found no function free. `control` and `settle` wait where `open` and `tool` do: they have
 * no part of the account to themselves. Calls of the doors do not count, since anybody may make as many as would hide
 * the others.
 */
function throttledShare({ open, turn, tool, api }: Functions): MathExpression {
  const handlers = Object.entries({ open, turn, tool, api });
  return new MathExpression({
    // A call that is throttled is no invocation.
    expression: `IF(SUM(METRICS("throttles")) >= ${FEW_THROTTLES}, 100 * SUM(METRICS("throttles")) / SUM(METRICS()), 0)`,
    usingMetrics: Object.fromEntries(
      handlers.flatMap(([name, handler]) => [
        [`throttles_${name}`, handler.metricThrottles(SUM)],
        [`invocations_${name}`, handler.metricInvocations(SUM)],
      ]),
    ),
    period: PERIOD,
  });
}
