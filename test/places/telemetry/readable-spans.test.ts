import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { expect, test, vi } from 'vitest';
import type { TraceSpan } from '../../../src/core/telemetry/trace-span.ts';
import { telemetryResource, toReadable } from '../../../src/places/telemetry/readable-spans.ts';
import packageJson from '../../../package.json' with { type: 'json' };

const traceId = '0123456789abcdef0123456789abcdef';
const span: TraceSpan = {
  traceId,
  spanId: 'a',
  links: ['c'],
  name: 'chat x',
  kind: 'internal',
  start: 1_700_000_000_001,
  end: 1_700_000_002_500,
  attributes: { one: 1, list: ['a', 'b'] },
};
const contextOf = (spanId: string) => ({ traceId, spanId, traceFlags: 1 });

test.each<[Partial<TraceSpan>, object]>([
  [{}, { kind: SpanKind.INTERNAL, status: { code: SpanStatusCode.UNSET } }],
  [
    { kind: 'client', parentId: 'b', fault: 'no' },
    {
      kind: SpanKind.CLIENT,
      parentSpanContext: contextOf('b'),
      status: { code: SpanStatusCode.ERROR, message: 'no' },
    },
  ],
])('a span is what OpenTelemetry has for it: %j', (more, expected) => {
  const resource = telemetryResource();
  const { spanContext, ...readable } = toReadable({ ...span, ...more }, resource);
  expect({ ...readable, context: spanContext() }).toEqual({
    name: 'chat x',
    context: contextOf('a'),
    startTime: [1_700_000_000, 1_000_000],
    endTime: [1_700_000_002, 500_000_000],
    duration: [2, 499_000_000],
    attributes: { one: 1, list: ['a', 'b'] },
    links: [{ context: contextOf('c') }],
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: packageJson.name, version: packageJson.version },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
    ...expected,
  });
});

test('spans are from cadre, unless the standard variables say otherwise', () => {
  const { attributes } = telemetryResource();
  expect(attributes).toMatchObject({ 'service.name': 'cadre', 'service.version': packageJson.version });
  vi.stubEnv('OTEL_SERVICE_NAME', 'shop');
  expect(telemetryResource().attributes['service.name']).toBe('shop');
});
