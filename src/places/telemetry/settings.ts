/** The standard variables of OpenTelemetry that say whether anything is exported, and what (its "SDK Configuration"). */
export interface TelemetrySettings {
  traces: boolean;
  metrics: boolean;
  /** The share of traces that are kept, from 0 to 1. */
  ratio: number;
  /** Whether spans hold what was said. */
  content: boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** What is exported; undefined: nothing, as long as no endpoint is set. The exporters read where to, and how, themselves. */
export function telemetrySettings(env: Variables): TelemetrySettings | undefined {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return undefined;
  const isSent = (signal: string) =>
    Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]) &&
    env[`OTEL_${signal}_EXPORTER`] !== 'none';
  const [traces, metrics] = [isSent('TRACES'), isSent('METRICS')];
  if (!traces && !metrics) return undefined;
  const content = env['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT']?.toLowerCase() === 'true';
  return { traces, metrics, ratio: ratioOf(env), content };
}

/** Samplers by ratio, and those that keep everything or nothing; a parent's decision counts in any case. */
function ratioOf(env: Variables): number {
  const sampler = env['OTEL_TRACES_SAMPLER'] ?? '';
  if (sampler.endsWith('always_off')) return 0;
  if (!sampler.endsWith('traceidratio')) return 1;
  const ratio = Number(env['OTEL_TRACES_SAMPLER_ARG'] || 1);
  return ratio >= 0 && ratio <= 1 ? ratio : 1;
}
