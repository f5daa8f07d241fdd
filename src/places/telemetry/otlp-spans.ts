import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { TraceSpan } from '../../core/telemetry/trace-span.ts';
import { telemetryResource, toReadable } from './readable-spans.ts';

/** Sends spans by OTLP over HTTP, with the official exporter. */
export interface SpanExporter {
  /** @throws {Error} if they were not taken, after the exporter's own tries */
  send(spans: readonly TraceSpan[]): Promise<void>;
  close(): Promise<void>;
}

/** @param endpoint of a collector, without a path; absent: as the standard variables say */
export function otlpSpanExporter(endpoint?: string): SpanExporter {
  const exporter = new OTLPTraceExporter(
    endpoint === undefined ? {} : { url: `${endpoint.replace(/\/+$/, '')}/v1/traces` },
  );
  const resource = telemetryResource();
  return {
    send: (spans) =>
      new Promise((resolve, reject) => {
        exporter.export(
          spans.map((span) => toReadable(span, resource)),
          ({ code, error }) =>
            code === 0 ? resolve() : reject(error ?? new Error('the spans were not taken')),
        );
      }),
    close: () => exporter.shutdown(),
  };
}

/** The request that carries the spans, as OTLP writes it in JSON. */
export function otlpJson(spans: readonly TraceSpan[]): string {
  const resource = telemetryResource();
  const bytes = JsonTraceSerializer.serializeRequest(spans.map((span) => toReadable(span, resource)));
  return new TextDecoder().decode(bytes);
}
