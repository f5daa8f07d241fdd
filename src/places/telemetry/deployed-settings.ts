import * as v from 'valibot';

/** `telemetry` of an environment in cdk.json: where its spans are sent. */
export const DeployedTelemetry = {
  /** Of a collector, or of CloudWatch: `https://xray.<region>.amazonaws.com`. */
  endpoint: v.pipe(
    v.string('a URL'),
    v.regex(/^https?:\/\/[^\s/?#]+(\/[^\s?#]*)?$/i, 'an http or https URL'),
  ),
  /** `${NAME}` stands for a key of the secret `TelemetrySecret`. */
  headers: v.optional(v.record(v.string(), v.string('a string')), {}),
  /** Whether spans hold what was said. */
  content: v.optional(v.boolean('true or false'), false),
  /** Whether metrics are sent as well; absent: unless that is CloudWatch, which has those of log lines. */
  metrics: v.optional(v.boolean('true or false')),
  /** The share of traces that are kept. */
  ratio: v.optional(
    v.pipe(v.number('a number'), v.minValue(0, 'from 0 to 1'), v.maxValue(1, 'from 0 to 1')),
    1,
  ),
};

/** The Region of CloudWatch's endpoint, which takes signed requests; undefined for any other. */
export function cloudWatchRegion(endpoint: string): string | undefined {
  return /^https:\/\/xray\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/?$/.exec(endpoint)?.[1];
}

/** Where metrics are sent, which CloudWatch takes at an address of their own. */
export function metricsEndpoint(endpoint: string): string {
  return cloudWatchRegion(endpoint) === undefined ? endpoint : endpoint.replace('://xray.', '://monitoring.');
}
