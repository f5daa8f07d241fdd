import * as v from 'valibot';
import { fillIn } from '../src/core/records/secrets.ts';
import { recordedSpans } from '../src/core/telemetry/recorded-spans.ts';
import { createSendSigned } from '../src/places/aws/cloud-requests.ts';
import { telemetrySecrets } from '../src/places/aws/environment-secrets.ts';
import { functionStore } from '../src/places/aws/store/cloud-store.ts';
import { ENVIRONMENT, required, TELEMETRY } from '../src/places/aws/variables.ts';
import { recordedAt } from '../src/places/store/recorded-keys.ts';
import { cloudWatchRegion, DeployedTelemetry } from '../src/places/telemetry/deployed-settings.ts';
import { postSpans } from '../src/places/telemetry/post-spans.ts';

const Key = v.object({ S: v.string() });

/** The part of a table's stream that is read here (DynamoDB, "Streams"). */
const Stream = v.object({
  Records: v.array(v.object({ dynamodb: v.object({ Keys: v.object({ partition: Key, sort: Key }) }) })),
});

const settings = v.parse(v.pipe(v.string(), v.parseJson(), v.object(DeployedTelemetry)), required(TELEMETRY));
const { endpoint, headers } = settings;
const region = cloudWatchRegion(endpoint);
const send = region === undefined ? undefined : createSendSigned('xray', region);
const { runs } = functionStore();
const secrets = telemetrySecrets();
process.env['OTEL_RESOURCE_ATTRIBUTES'] ??= `deployment.environment.name=${required(ENVIRONMENT.name)}`;

/** Exports what was written to the table: called with its stream, again for an hour where the endpoint takes nothing. */
export async function handler(event: unknown): Promise<void> {
  const keys = v.parse(Stream, event).Records.map(({ dynamodb: { Keys } }) => Keys);
  const recorded = keys.map(({ partition, sort }) => recordedAt(partition.S, sort.S));
  const each = new Map(recorded.flatMap((one) => (one === undefined ? [] : [[JSON.stringify(one), one]])));
  const made = await Promise.all([...each.values()].map((one) => recordedSpans(one, runs, settings)));
  const spans = made.flat();
  if (spans.length === 0) return;
  const { sent } = await fillIn(headers, 'telemetry', secrets);
  await postSpans(spans, endpoint, sent, send);
}
