import { expect, test } from 'vitest';
import { telemetrySettings } from '../../../src/places/telemetry/settings.ts';

const TO = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector' };
const ALL = { traces: true, metrics: true, ratio: 1, content: false };

test.each([
  [{}, undefined],
  [TO, ALL],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector' }, { ...ALL, metrics: false }],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://collector' }, { ...ALL, traces: false }],
  [
    { ...TO, OTEL_TRACES_EXPORTER: 'none' },
    { ...ALL, traces: false },
  ],
  [{ ...TO, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }, undefined],
  [{ ...TO, OTEL_SDK_DISABLED: 'True' }, undefined],
  [{ ...TO, OTEL_SDK_DISABLED: 'false' }, ALL],
  [
    { ...TO, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'TRUE' },
    { ...ALL, content: true },
  ],
  [
    { ...TO, OTEL_TRACES_SAMPLER: 'parentbased_always_off' },
    { ...ALL, ratio: 0 },
  ],
  [{ ...TO, OTEL_TRACES_SAMPLER: 'always_on', OTEL_TRACES_SAMPLER_ARG: '0.5' }, ALL],
  [
    { ...TO, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' },
    { ...ALL, ratio: 0.5 },
  ],
  [
    { ...TO, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' },
    { ...ALL, ratio: 0 },
  ],
  [{ ...TO, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' }, ALL],
  [{ ...TO, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '1.5' }, ALL],
  [{ ...TO, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '-1' }, ALL],
  [{ ...TO, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: 'half' }, ALL],
])('%j exports %j', (env, settings) => {
  expect(telemetrySettings(env)).toEqual(settings);
});
