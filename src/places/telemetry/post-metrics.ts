import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { AggregationTemporality, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import type { Measured } from '../../core/telemetry/measured.ts';
import { StoreError } from '../../errors.ts';
import { postOtlp, type OtlpEndpoint } from './post-otlp.ts';
import { telemetryResource } from './readable-spans.ts';
import { createInstruments } from './run-instruments.ts';

/** Is asked once, by whoever sends what it collects. */
class OneReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/**
 * Adds up the measurements and sends them in one request, as differences: processes that freeze between two requests,
 * and of which there are several, have no totals.
 * @returns whether the endpoint takes metrics at all: many take only spans
 * @throws {StoreError} if they were not taken this time
 */
export async function postMetrics(measured: readonly Measured[], to: OtlpEndpoint): Promise<boolean> {
  const reader = new OneReader({ aggregationTemporalitySelector: () => AggregationTemporality.DELTA });
  const provider = new MeterProvider({ readers: [reader], resource: telemetryResource() });
  const count = createInstruments(provider);
  for (const one of measured) count(one);
  const { resourceMetrics } = await reader.collect();
  const status = await postOtlp('metrics', ProtobufMetricsSerializer.serializeRequest(resourceMetrics), to);
  if (status >= 200 && status < 300) return true;
  const isForGood = status >= 400 && status < 500 && status !== 408 && status !== 429;
  if (isForGood) return false;
  throw new StoreError(`the metrics were not taken: the endpoint answered ${status}`);
}
