import * as v from 'valibot';
import type { Lambda } from '../fixtures/lambda-runtime.ts';
import { bodyOf, serveOnLoopback, type LoopbackServer } from '../fixtures/loopback.ts';
import type { Stack } from './stack.ts';

const Rule = v.object({
  /** Absent: a schedule of its own, which does not come here. */
  EventPattern: v.optional(v.record(v.string(), v.unknown())),
  Targets: v.array(v.object({ Arn: v.string(), Input: v.optional(v.string()) })),
});
const InvokeConfig = v.object({ MaximumRetryAttempts: v.number() });

export interface EventBridge {
  /** Hands an event to the targets of every rule whose pattern it matches. */
  put(event: object): void;
  /** Waits until all that was put is carried out or given up. */
  delivered(): Promise<void>;
  /** Events that a function failed at again and again. */
  deadLetters: object[];
  /** The functions' own events on the bus. */
  told: Told[];
}

const Entry = v.object({
  Source: v.string(),
  DetailType: v.string(),
  Detail: v.pipe(v.string(), v.parseJson()),
});
export type Told = v.InferOutput<typeof Entry>;

/** PutEvents of the default bus. */
export function serveEventBridge(bus: EventBridge): Promise<LoopbackServer> {
  return serveOnLoopback(async (request, response) => {
    const { Entries } = v.parse(
      v.object({ Entries: v.array(Entry) }),
      JSON.parse(String(await bodyOf(request))),
    );
    for (const entry of Entries) {
      bus.told.push(entry);
      bus.put({ source: entry.Source, 'detail-type': entry.DetailType, detail: entry.Detail });
    }
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify({ FailedEntryCount: 0, Entries: Entries.map(() => ({ EventId: '1' })) }));
  });
}

/** The default event bus with the rules of a stack. Retries come at once. */
export function openEventBridge(stack: Stack, lambda: Lambda): EventBridge {
  const rules = stack.resources('AWS::Events::Rule').map((rule) => v.parse(Rule, rule));
  const [config] = stack.resources('AWS::Lambda::EventInvokeConfig');
  const attempts = 1 + v.parse(InvokeConfig, config).MaximumRetryAttempts;
  const underWay = new Set<Promise<void>>();
  const deadLetters: object[] = [];

  async function deliver(arn: string, event: object): Promise<void> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const { functionError } = await lambda.invoke(arn, JSON.stringify(event));
      if (functionError === undefined) return;
    }
    deadLetters.push(event);
  }

  return {
    put(event) {
      for (const { EventPattern, Targets } of rules) {
        if (EventPattern === undefined || !matches(EventPattern, event)) continue;
        for (const { Arn } of Targets) {
          const delivery = deliver(Arn, event).finally(() => underWay.delete(delivery));
          underWay.add(delivery);
        }
      }
    },
    async delivered() {
      await Promise.all(underWay);
    },
    deadLetters,
    told: [],
  };
}

/** Amazon EventBridge, "Event patterns": every field of the pattern has one of its values; only plain values here. */
function matches(pattern: unknown, value: unknown): boolean {
  if (Array.isArray(pattern)) return pattern.includes(value);
  const fields = v.safeParse(v.record(v.string(), v.unknown()), value);
  return (
    fields.success &&
    Object.entries(v.parse(v.record(v.string(), v.unknown()), pattern)).every(([name, inner]) =>
      matches(inner, fields.output[name]),
    )
  );
}
