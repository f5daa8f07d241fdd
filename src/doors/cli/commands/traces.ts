import { counted } from '../../../counted.ts';
import { traceContextOf } from '../../../core/telemetry/trace-context.ts';
import { treeSpans } from '../../../core/telemetry/tree-spans.ts';
import { ConfigError, messageOf } from '../../../errors.ts';
import type { Environment } from '../../../places/environment.ts';
import { telemetrySettings } from '../../../places/telemetry/settings.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { RunIo } from '../terminal/io.ts';
import { findRun } from './find-run.ts';

export interface TracesOptions {
  /** Of a collector that takes OTLP over HTTP, without a path. */
  otlp?: string;
  json?: boolean;
  content?: boolean;
}

/**
 * `cadre traces`: exports every span of a tree that has ended, under the ids that it has when it is exported live.
 * @returns the exit code
 * @throws {ConfigError} if there is no such run, no endpoint, or nothing is taken
 */
export async function exportTraces(
  word: string,
  environment: Environment,
  { otlp, json = false, content = false }: TracesOptions,
  io: RunIo,
): Promise<number> {
  if (otlp !== undefined && !(/^https?:\/\//.test(otlp) && URL.canParse(otlp)))
    throw new ConfigError(`--otlp "${otlp}" is not a URL; write, for instance, http://127.0.0.1:4318`);
  if (!json && otlp === undefined && telemetrySettings(io.env)?.traces !== true) {
    throw new ConfigError(
      'no endpoint is set: give --otlp <url>, set OTEL_EXPORTER_OTLP_ENDPOINT, or print --json',
    );
  }
  const { records } = environment;
  const found = await findRun(word, environment);
  const top = found.root === found.id ? found : ((await records.run(found.root)) ?? found);
  const context = traceContextOf(top);
  const spans = await treeSpans(top, records, { context, content });
  const { otlpJson, otlpSpanExporter } = await import('../../../places/telemetry/otlp-spans.ts');
  if (json) {
    io.stdout(`${otlpJson(spans)}\n`);
    return EXIT.success;
  }
  const exporter = otlpSpanExporter(otlp);
  try {
    await exporter.send(spans);
  } catch (thrown) {
    throw new ConfigError(`the spans were not taken: ${messageOf(thrown)}`, { cause: thrown });
  } finally {
    await exporter.close();
  }
  io.stderr(`${counted(spans.length, 'span')} of trace ${context.traceId} sent\n`);
  return EXIT.success;
}
