import { Duration } from 'aws-cdk-lib';
import {
  Dashboard as CloudWatchDashboard,
  GraphWidget,
  LogQueryWidget,
  MathExpression,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { METRICS_NAMESPACE } from '../src/places/aws/variables.ts';
import type { Conversation } from './conversation.ts';
import type { EnvironmentSettings } from './environment-settings.ts';
import type { Functions } from './functions.ts';

export interface DashboardProps {
  settings: EnvironmentSettings;
  conversation: Conversation;
  functions: Functions;
}

const PERIOD = Duration.minutes(5);
const HALF = 12;

/** One page that answers: what ran, what failed and why, what it cost. */
export class Dashboard extends Construct {
  readonly #environment: string;

  constructor(scope: Construct, id: string, { settings, conversation, functions }: DashboardProps) {
    super(scope, id);
    this.#environment = settings.name;
    const { machine } = conversation;
    const { settle, turn } = functions;
    const logGroupNames = [turn.logGroup.logGroupName, settle.logGroup.logGroupName];
    const sum = { period: PERIOD, statistic: 'sum' };
    new CloudWatchDashboard(this, 'Dashboard', {
      dashboardName: settings.stem,
      defaultInterval: Duration.days(1),
      widgets: [
        [
          new GraphWidget({
            title: 'Runs',
            width: HALF,
            left: [
              machine.metricStarted(sum),
              machine.metricSucceeded(sum),
              machine.metricFailed(sum),
              machine.metricTimedOut(sum),
              machine.metricAborted(sum),
            ],
          }),
          this.#graph('Failures by class', 'failures', ['agent', 'class']),
        ],
        [
          this.#graph('Turns', 'turns', ['agent', 'model']),
          this.#graph('Tool calls', 'toolCalls', ['agent', 'model']),
        ],
        [
          this.#graph('Input tokens', 'inputTokens', ['agent', 'model']),
          this.#graph('Output tokens', 'outputTokens', ['agent', 'model']),
        ],
        [
          this.#graph('Time that models take', 'latencyMs', ['agent', 'model'], 'Average'),
          this.#graph('Runs that a budget ended', 'budgetStops', ['agent']),
        ],
        [
          this.#graph('Time that runs take', 'durationMs', ['agent'], 'Average'),
          new GraphWidget({
            title: 'Functions at once',
            width: HALF,
            left: [turn.metric('ConcurrentExecutions', { period: PERIOD, statistic: 'max' })],
            right: [turn.metricThrottles(sum), turn.metricErrors(sum)],
          }),
        ],
        [
          new LogQueryWidget({
            title: 'What failed last, and why',
            width: 2 * HALF,
            logGroupNames,
            queryLines: [
              'fields @timestamp, run, agent, model, class, reason',
              "filter event = 'run_closed' and status != 'succeeded'",
              'sort @timestamp desc',
              'limit 50',
            ],
          }),
        ],
        [
          new LogQueryWidget({
            title: 'What the largest trees used',
            width: 2 * HALF,
            logGroupNames,
            queryLines: [
              "filter event = 'turn_finished'",
              'stats sum(turns) as turns_, sum(toolCalls) as calls, sum(inputTokens) as input, sum(outputTokens) as output by root',
              'sort input desc',
              'limit 50',
            ],
          }),
        ],
      ],
    });
  }

  /** A line for each combination of dimensions that there is. */
  #graph(title: string, metric: string, dimensions: string[], statistic = 'Sum'): GraphWidget {
    const schema = [METRICS_NAMESPACE, 'environment', ...dimensions].join(',');
    const search = `{${schema}} MetricName="${metric}" environment="${this.#environment}"`;
    return new GraphWidget({
      title,
      width: HALF,
      left: [
        new MathExpression({
          expression: `SEARCH('${search}', '${statistic}', ${PERIOD.toSeconds()})`,
          label: '',
          usingMetrics: {},
          period: PERIOD,
        }),
      ],
    });
  }
}
