import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { FilterCriteria, FilterRule, MetricType, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { ConfigError } from '../src/errors.ts';
import { secretsNamed } from '../src/core/records/secrets.ts';
import { TELEMETRY, TELEMETRY_SECRETS } from '../src/places/aws/variables.ts';
import { RECORDED_SORTS } from '../src/places/store/recorded-keys.ts';
import { cloudWatchRegion } from '../src/places/telemetry/deployed-settings.ts';
import { grantDataKey } from './data-key.ts';
import { EnvironmentSecret } from './environment-secret.ts';
import type { EnvironmentSettings } from './environment-settings.ts';
import type { HouseFunction } from './house-function.ts';
import { asMistake } from './mistake.ts';
import type { Store } from './store.ts';

export interface TelemetryProps {
  settings: EnvironmentSettings;
  handler: HouseFunction;
  store: Store;
}

/** As long as spans are of use to those who look at them. What is not taken by then is counted, and stays in the records. */
const OLDEST = Duration.hours(1);

/**
 * Exports spans from what is written to the table, apart from the functions that write it: a function is frozen once it has
 * answered, so that a turn could only wait for an export or lose it.
 */
export class Telemetry extends Construct {
  constructor(scope: Construct, id: string, { settings, handler, store }: TelemetryProps) {
    super(scope, id);
    const { telemetry } = settings;
    if (telemetry === undefined) throw new TypeError('there is no telemetry to set up');
    const { endpoint, headers, content, ratio, metrics } = telemetry;
    const eventSourceArn = store.table.tableStreamArn;
    if (eventSourceArn === undefined) {
      throw asMistake(
        new ConfigError(
          `environment "${settings.name}" has telemetry, which reads the stream of the table, and the given table has none: give it a stream of keys`,
        ),
      );
    }
    store.openRunsFor(handler, { items: ['GetItem', 'Query'], texts: ['GetObject'] });
    grantDataKey(handler, settings);
    handler.addEnvironment(TELEMETRY, JSON.stringify({ endpoint, headers, content, ratio, metrics }));
    const names = secretsNamed(Object.values(headers));
    if (names.length > 0) this.#addSecret(scope, handler, names[0] ?? '', settings);
    if (cloudWatchRegion(endpoint) !== undefined) {
      // X-Ray's actions take no narrower resource.
      handler.addToRolePolicy(
        new PolicyStatement({ actions: ['xray:PutSpans', 'xray:PutSpansForIndexing'], resources: ['*'] }),
      );
      // Neither does that of metrics.
      if (metrics) {
        handler.addToRolePolicy(
          new PolicyStatement({ actions: ['cloudwatch:PutMetricData'], resources: ['*'] }),
        );
      }
    }
    // What Lambda does in the name of the function (Lambda, "Using AWS Lambda with Amazon DynamoDB").
    handler.addToRolePolicy(
      new PolicyStatement({
        actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
        resources: [eventSourceArn],
      }),
    );
    handler.addToRolePolicy(new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }));
    handler.addEventSourceMapping('Stream', {
      eventSourceArn,
      startingPosition: StartingPosition.LATEST,
      batchSize: 100,
      maxBatchingWindow: Duration.seconds(5),
      bisectBatchOnError: true,
      maxRecordAge: OLDEST,
      metricsConfig: { metrics: [MetricType.EVENT_COUNT] },
      filters: [
        FilterCriteria.filter({
          // What expires was exported when it was written.
          eventName: FilterRule.or('INSERT', 'MODIFY'),
          dynamodb: {
            Keys: { sort: { S: RECORDED_SORTS.flatMap((sort) => FilterRule.beginsWith(sort)) } },
          },
        }),
      ],
    });
  }

  #addSecret(scope: Construct, handler: HouseFunction, example: string, settings: EnvironmentSettings): void {
    const secrets = new EnvironmentSecret(this, 'Secret', {
      settings,
      description: `Secrets of the collector of spans, environment ${settings.name}: {"${example}": "…"}`,
      variable: TELEMETRY_SECRETS,
    });
    secrets.openTo([handler], scope, 'TelemetrySecret');
  }
}
