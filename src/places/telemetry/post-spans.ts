import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { TraceSpan } from '../../core/telemetry/trace-span.ts';
import { StoreError } from '../../errors.ts';
import { postOtlp, type OtlpEndpoint } from './post-otlp.ts';
import { telemetryResource, toReadable } from './readable-spans.ts';

/** Sends spans in one request. @throws {StoreError} if they were not taken */
export async function postSpans(spans: readonly TraceSpan[], to: OtlpEndpoint): Promise<void> {
  const resource = telemetryResource();
  const bytes = ProtobufTraceSerializer.serializeRequest(spans.map((span) => toReadable(span, resource)));
  const status = await postOtlp('traces', bytes, to);
  if (status < 200 || status >= 300)
    throw new StoreError(`the spans were not taken: the endpoint answered ${status}`);
}
