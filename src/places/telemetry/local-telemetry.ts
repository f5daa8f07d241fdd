import { messageOf } from '../../errors.ts';
import { identityOf, type RunEvent } from '../../core/events/event.ts';
import type { LiveBus } from '../../core/events/live.ts';
import { recordedIn, recordedSpans, type Recorded } from '../../core/telemetry/recorded-spans.ts';
import type { TraceReader } from '../../core/telemetry/trace-span.ts';
import type { SpanExporter } from './otlp-spans.ts';
import type { TelemetrySettings } from './settings.ts';

/** Exports the work of this process in runs. No run waits for it, and none fails because of it. */
export interface Telemetry {
  heard(event: RunEvent): void;
  /** Waits for what is on its way, for some seconds at most. */
  close(): Promise<void>;
}

export interface TelemetryPorts {
  records: TraceReader;
  settings: TelemetrySettings;
  /** Is told, once, that nothing is taken. */
  live: LiveBus;
}

/** Beyond this, what is new is dropped: the records keep it, and `cadre traces` exports it later. */
const MOST_WAITING = 5_000;
/** So much is sent at once. */
const BATCH = 50;
const CLOSING_MS = 5_000;

export async function openTelemetry({ records, settings, live }: TelemetryPorts): Promise<Telemetry> {
  const [spans, metrics] = await Promise.all([
    settings.traces ? import('./otlp-spans.ts') : undefined,
    settings.metrics ? import('./otlp-metrics.ts') : undefined,
  ]);
  const sending = spans && createSending(spans.otlpSpanExporter(), { records, settings, live });
  const counting = metrics?.otlpMetrics();
  return {
    heard(event) {
      counting?.heard(event);
      const recorded = sending && recordedIn(event);
      if (recorded !== undefined) sending?.add(recorded);
    },
    async close() {
      const late = AbortSignal.timeout(CLOSING_MS);
      const isLate = new Promise<void>((resolve) => {
        late.addEventListener('abort', () => resolve(), { once: true });
      });
      await Promise.race([isLate, Promise.allSettled([sending?.close(), counting?.close()])]);
    },
  };
}

function createSending(exporter: SpanExporter, { records, settings, live }: TelemetryPorts) {
  const waiting: Recorded[] = [];
  let hasWarned = false;
  let isBusy = false;
  let work = Promise.resolve();

  async function sendAll(): Promise<void> {
    isBusy = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH);
      try {
        const made = await Promise.all(batch.map((one) => recordedSpans(one, records, settings)));
        const all = made.flat();
        if (all.length > 0) await exporter.send(all);
      } catch (thrown) {
        if (!hasWarned) await warn(batch[0]?.run ?? '', messageOf(thrown));
        hasWarned = true;
      }
    }
    isBusy = false;
  }

  async function warn(id: string, reason: string): Promise<void> {
    const run = await records.run(id).catch(() => undefined);
    const message = `spans are not exported; cadre traces exports them later: ${reason}`;
    if (run !== undefined) live.tell({ type: 'warning', ...identityOf(run), message });
  }

  return {
    add(recorded: Recorded) {
      if (waiting.length < MOST_WAITING) waiting.push(recorded);
      if (!isBusy) work = sendAll();
    },
    async close() {
      await work;
      await exporter.close();
    },
  };
}
