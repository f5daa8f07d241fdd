import { SpanKind, SpanStatusCode, TraceFlags, type SpanContext } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import packageJson from '../../../package.json' with { type: 'json' };
import type { TraceSpan } from '../../core/telemetry/trace-spans.ts';

const SCOPE = { name: packageJson.name, version: packageJson.version };

/** Who the spans are from: `cadre`, unless the standard variables say otherwise. */
export function telemetryResource() {
  return resourceFromAttributes({ 'service.name': 'cadre', 'service.version': packageJson.version }).merge(
    detectResources({ detectors: [envDetector] }),
  );
}

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

export function toReadable(span: TraceSpan, resource: ReadableSpan['resource']): ReadableSpan {
  const { traceId, start, end, attributes, fault } = span;
  const contextOf = (spanId: string): SpanContext => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED });
  return {
    name: span.name,
    kind: span.kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
    spanContext: () => contextOf(span.spanId),
    ...(span.parentId !== undefined && { parentSpanContext: contextOf(span.parentId) }),
    startTime: hrTime(start),
    endTime: hrTime(end),
    duration: hrTime(end - start),
    status:
      fault === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: fault },
    attributes: Object.fromEntries(
      Object.entries(attributes).map(([key, value]) => [key, typeof value === 'object' ? [...value] : value]),
    ),
    links: span.links.map((spanId) => ({ context: contextOf(spanId) })),
    events: [],
    ended: true,
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function hrTime(milliseconds: number): [seconds: number, nanoseconds: number] {
  return [Math.floor(milliseconds / 1000), (milliseconds % 1000) * 1e6];
}

/** The request that carries the spans, as OTLP writes it in JSON. */
export function otlpJson(spans: readonly TraceSpan[]): string {
  const resource = telemetryResource();
  const bytes = JsonTraceSerializer.serializeRequest(spans.map((span) => toReadable(span, resource)));
  return new TextDecoder().decode(bytes);
}
