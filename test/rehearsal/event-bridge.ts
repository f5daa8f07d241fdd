import * as v from 'valibot';
import type { Lambda } from '../fixtures/lambda-runtime.ts';
import { bodyOf, serveOnLoopback, type LoopbackServer } from '../fixtures/loopback.ts';
import type { Stack } from './stack.ts';

const Rule = v.object({
  Name: v.optional(v.string(), ''),
  /** Absent: a schedule of its own, which does not come here. */
  EventPattern: v.optional(v.record(v.string(), v.unknown())),
  Targets: v.array(v.object({ Arn: v.string(), Input: v.optional(v.string(), '') })),
});
const InvokeConfig = v.object({ MaximumRetryAttempts: v.number() });

export interface EventBridge {
  /** Hands an event to the targets of every rule whose pattern it matches. */
  put(event: object): void;
  /** Has a rule match nothing, or again what it says. */
  enable(rule: string, isEnabled: boolean): void;
  /** Does what rules do that have a schedule, as when their time has come. */
  tick(): void;
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

/** PutEvents of the default bus, and DisableRule and EnableRule of its rules. */
export function serveEventBridge(bus: EventBridge): Promise<LoopbackServer> {
  return serveOnLoopback(async (request, response) => {
    const [, deed] = /\.(Disable|Enable)Rule$/.exec(String(request.headers['x-amz-target'])) ?? [];
    const body: unknown = JSON.parse(String(await bodyOf(request)));
    if (deed !== undefined) {
      bus.enable(v.parse(v.object({ Name: v.string() }), body).Name, deed === 'Enable');
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
      return void response.end('{}');
    }
    const { Entries } = v.parse(v.object({ Entries: v.array(Entry) }), body);
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

  const disabled = new Set<string>();

  function call(arn: string, event: object): void {
    const delivery = deliver(arn, event).finally(() => underWay.delete(delivery));
    underWay.add(delivery);
  }

  return {
    put(event) {
      for (const { Name, EventPattern, Targets } of rules) {
        if (EventPattern === undefined || disabled.has(Name) || !matches(EventPattern, event)) continue;
        for (const { Arn } of Targets) call(Arn, event);
      }
    },
    enable(rule, isEnabled) {
      if (!rules.some(({ Name }) => Name === rule)) throw new Error(`there is no rule ${rule}`);
      if (isEnabled) disabled.delete(rule);
      else disabled.add(rule);
    },
    tick() {
      for (const { EventPattern, Targets } of rules) {
        if (EventPattern !== undefined) continue;
        for (const { Arn, Input } of Targets)
          call(Arn, v.parse(v.record(v.string(), v.unknown()), JSON.parse(Input)));
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
