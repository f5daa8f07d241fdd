import type { MeterProvider } from '@opentelemetry/sdk-metrics';
import packageJson from '../../../package.json' with { type: 'json' };
import { defined } from '../../defined.ts';
import type { Measured } from '../../core/telemetry/measured.ts';
import { modelAttributes } from '../../core/telemetry/trace-span.ts';

/** The bounds of the conventions for generative AI: seconds, and tokens. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864];

/** Counts turns, tokens, dollars and times by agent, model and outcome. The count of a histogram is that of its turns. */
export function createInstruments(provider: MeterProvider): (measured: Measured) => void {
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
  return (measured) => {
    const agent = {
      'gen_ai.agent.name': measured.agent,
      ...modelAttributes(measured),
      ...defined({ 'cadre.pack': measured.pack }),
    };
    if ('end' in measured) {
      const { status, durationMs } = measured.end;
      runs.record(durationMs / 1000, { ...agent, 'cadre.status': status });
      return;
    }
    const { usage, latencyMs } = measured.turn;
    const chat = { 'gen_ai.operation.name': 'chat', ...agent };
    duration.record(latencyMs / 1000, chat);
    tokens.record(usage.inputTokens, { ...chat, 'gen_ai.token.type': 'input' });
    tokens.record(usage.outputTokens, { ...chat, 'gen_ai.token.type': 'output' });
    if (usage.nanoUsd !== undefined) usd.add(usage.nanoUsd / 1e9, agent);
  };
}
