import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import packageJson from '../../../package.json' with { type: 'json' };
import type { RunEvent } from '../../core/events/event.ts';
import { modelAttributes } from '../../core/telemetry/trace-span.ts';
import { telemetryResource } from './readable-spans.ts';

/** The bounds of the conventions for generative AI: seconds, and tokens. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864];

export interface RunMetrics {
  heard(event: RunEvent): void;
  /** Exports what was counted since the last time, and ends. */
  close(): Promise<void>;
}

/** Counts turns, tokens, dollars and times by agent, model and outcome, and exports them each minute, by OTLP over HTTP. */
export function otlpMetrics(): RunMetrics {
  const exporter = new OTLPMetricExporter();
  const reader = new PeriodicExportingMetricReader({ exporter });
  const provider = new MeterProvider({ readers: [reader], resource: telemetryResource() });
  const meter = provider.getMeter(packageJson.name, packageJson.version);
  const duration = meter.createHistogram('gen_ai.client.operation.duration', {
    unit: 's',
    advice: { explicitBucketBoundaries: SECONDS },
  });
  const tokens = meter.createHistogram('gen_ai.client.token.usage', {
    unit: '{token}',
    advice: { explicitBucketBoundaries: TOKENS },
  });
  const usd = meter.createCounter('cadre.cost', { unit: 'USD', description: 'What turns have cost' });
  const runs = meter.createHistogram('cadre.run.duration', {
    unit: 's',
    description: 'Runs that have ended, by outcome',
    advice: { explicitBucketBoundaries: SECONDS.map((bound) => bound * 64) },
  });
  return {
    heard(event) {
      const agent = { 'gen_ai.agent.name': event.agent, ...modelAttributes(event) };
      if (event.type === 'turn_finished') {
        const { usage, latencyMs } = event;
        const chat = { 'gen_ai.operation.name': 'chat', ...agent };
        duration.record(latencyMs / 1000, chat);
        tokens.record(usage.inputTokens, { ...chat, 'gen_ai.token.type': 'input' });
        tokens.record(usage.outputTokens, { ...chat, 'gen_ai.token.type': 'output' });
        if (usage.nanoUsd !== undefined) usd.add(usage.nanoUsd / 1e9, agent);
      } else if (event.type === 'run_closed') {
        runs.record(event.durationMs / 1000, { ...agent, 'cadre.status': event.status });
      }
    },
    close: () => provider.shutdown(),
  };
}
