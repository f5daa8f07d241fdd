import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { TraceSpan } from '../../core/telemetry/trace-span.ts';
import { StoreError, messageOf } from '../../errors.ts';
import { telemetryResource, toReadable } from './readable-spans.ts';

const TIMEOUT_MS = 10_000;

/**
 * Sends spans in one request, which whoever calls repeats: a function has no time to wait for better days.
 * @param send signs it, where that is wanted
 * @throws {StoreError} if they were not taken
 */
export async function postSpans(
  spans: readonly TraceSpan[],
  endpoint: string,
  headers: Readonly<Record<string, string>>,
  send: (request: Request) => Promise<Response> = fetch,
): Promise<void> {
  const resource = telemetryResource();
  const bytes = ProtobufTraceSerializer.serializeRequest(spans.map((span) => toReadable(span, resource)));
  const request = new Request(`${endpoint.replace(/\/+$/, '')}/v1/traces`, {
    method: 'POST',
    body: new Uint8Array(await promisify(gzip)(bytes ?? new Uint8Array())),
    headers: { ...headers, 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const response = await send(request).catch((thrown: unknown) => {
    throw new StoreError(`the spans could not be sent: ${messageOf(thrown)}`, { cause: thrown });
  });
  if (!response.ok)
    throw new StoreError(`the spans were not taken: the endpoint answered ${response.status}`);
}
