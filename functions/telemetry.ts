import * as v from 'valibot';
import { fillIn } from '../src/core/records/secrets.ts';
import { measuredAt } from '../src/core/telemetry/measured.ts';
import { recordedSpans, type Recorded } from '../src/core/telemetry/recorded-spans.ts';
import { createSendSigned } from '../src/places/aws/cloud-requests.ts';
import { logWarning } from '../src/places/aws/run-log.ts';
import { telemetrySecrets } from '../src/places/aws/environment-secrets.ts';
import { functionStore } from '../src/places/aws/store/cloud-store.ts';
import { ENVIRONMENT, required, TELEMETRY } from '../src/places/aws/variables.ts';
import { recordedAt } from '../src/places/store/recorded-keys.ts';
import {
  cloudWatchRegion,
  DeployedTelemetry,
  metricsEndpoint,
} from '../src/places/telemetry/deployed-settings.ts';
import { postSpans } from '../src/places/telemetry/post-spans.ts';

const Key = v.object({ S: v.string() });

/** The part of a table's stream that is read here (DynamoDB, "Streams"). */
const Stream = v.object({
  Records: v.array(
    v.object({
      dynamodb: v.object({
        /** Seconds since 1970. */
        ApproximateCreationDateTime: v.optional(v.number(), () => Date.now() / 1000),
        Keys: v.object({ partition: Key, sort: Key }),
      }),
    }),
  ),
});

const settings = v.parse(v.pipe(v.string(), v.parseJson(), v.object(DeployedTelemetry)), required(TELEMETRY));
const { endpoint, headers } = settings;
const region = cloudWatchRegion(endpoint);
const signed = (service: 'monitoring' | 'xray') =>
  region === undefined ? {} : { send: createSendSigned(service, region) };
const [spansTo, metricsTo] = [
  { endpoint, ...signed('xray') },
  { endpoint: metricsEndpoint(endpoint), ...signed('monitoring') },
];
let takesMetrics = settings.metrics ?? region === undefined;
const { runs } = functionStore();
const secrets = telemetrySecrets();
process.env['OTEL_RESOURCE_ATTRIBUTES'] ??= `deployment.environment.name=${required(ENVIRONMENT.name)}`;

/** What was written, and when, in milliseconds since 1970. */
interface Written {
  recorded: Recorded;
  at: number;
}

/** Exports what was written to the table: called with its stream, again for an hour where the endpoint takes nothing. */
export async function handler(event: unknown): Promise<void> {
  const each = new Map<string, Written>();
  for (const { dynamodb } of v.parse(Stream, event).Records) {
    const { partition, sort } = dynamodb.Keys;
    const recorded = recordedAt(partition.S, sort.S);
    const at = dynamodb.ApproximateCreationDateTime * 1000;
    if (recorded !== undefined) each.set(JSON.stringify(recorded), { recorded, at });
  }
  const written = [...each.values()];
  const made = await Promise.all(written.map(({ recorded }) => recordedSpans(recorded, runs, settings)));
  const spans = made.flat();
  const { sent } = await fillIn(headers, 'telemetry', secrets);
  if (spans.length > 0) await postSpans(spans, { ...spansTo, headers: sent });
  // Spans that are sent again are the same ones; what is counted comes last, so that nothing makes it be counted twice.
  if (takesMetrics) takesMetrics = await sendMetrics(written, sent);
}

/** @returns whether the endpoint takes any */
async function sendMetrics(written: readonly Written[], sent: Record<string, string>): Promise<boolean> {
  const made = await Promise.all(written.map(({ recorded, at }) => measuredAt(recorded, at, runs)));
  const measured = made.filter((one) => one !== undefined);
  if (measured.length === 0) return true;
  const { postMetrics } = await import('../src/places/telemetry/post-metrics.ts');
  const isTaken = await postMetrics(measured, { ...metricsTo, headers: sent });
  if (!isTaken) logWarning(`no metrics are sent from here: ${metricsTo.endpoint} takes none`);
  return isTaken;
}
