import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { RunEvent } from '../../core/events/event.ts';
import { measuredIn } from '../../core/telemetry/measured.ts';
import { telemetryResource } from './readable-spans.ts';
import { createInstruments } from './run-instruments.ts';

export interface RunMetrics {
  heard(event: RunEvent): void;
  /** Exports what was counted since the last time, and ends. */
  close(): Promise<void>;
}

/** Counts what is told of runs, and exports it each minute, by OTLP over HTTP. */
export function otlpMetrics(): RunMetrics {
  const reader = new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter() });
  const provider = new MeterProvider({ readers: [reader], resource: telemetryResource() });
  const count = createInstruments(provider);
  return {
    heard(event) {
      const measured = measuredIn(event);
      if (measured !== undefined) count(measured);
    },
    close: () => provider.shutdown(),
  };
}
