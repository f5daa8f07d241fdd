import { SpanKind, SpanStatusCode, TraceFlags, type SpanContext } from '@opentelemetry/api';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import packageJson from '../../../package.json' with { type: 'json' };
import type { TraceSpan } from '../../core/telemetry/trace-span.ts';

const SCOPE = { name: packageJson.name, version: packageJson.version };

/** Who the spans are from: `cadre`, unless the standard variables say otherwise. */
export function telemetryResource() {
  return resourceFromAttributes({ 'service.name': 'cadre', 'service.version': packageJson.version }).merge(
    detectResources({ detectors: [envDetector] }),
  );
}

/** A span as OpenTelemetry's own packages take it. */
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
