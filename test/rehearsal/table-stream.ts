import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import * as v from 'valibot';
import type { Lambda } from '../fixtures/lambda-runtime.ts';
import { ACCOUNT, REGION, type Stack } from './stack.ts';

const Text = v.object({ S: v.string() });
const Keys = v.object({ partition: Text, sort: Text });
type Keys = v.InferOutput<typeof Keys>;

const Pattern = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    eventName: v.optional(v.array(v.string())),
    dynamodb: v.object({
      Keys: v.object({ sort: v.object({ S: v.array(v.object({ prefix: v.string() })) }) }),
    }),
  }),
);
type Pattern = v.InferOutput<typeof Pattern>;
const Mapping = v.object({
  FunctionName: v.string(),
  EventSourceArn: v.pipe(v.string(), v.endsWith('.StreamArn')),
  BatchSize: v.number(),
  FilterCriteria: v.object({ Filters: v.array(v.object({ Pattern })) }),
});

interface Told {
  eventName: 'MODIFY' | 'REMOVE';
  keys: Keys;
}

/** The stream of a table, with the functions that it calls. */
export interface TableStream {
  /** Tells of an item that was written or removed. */
  put(keys: Keys, eventName?: 'MODIFY' | 'REMOVE'): void;
  /** Calls the functions with all that was written since, as once the windows of their batches are over. */
  delivered(): Promise<void>;
}

/** Calls what the event source mappings of a stack say (Lambda, "Using AWS Lambda with Amazon DynamoDB"). */
export function openTableStream(stack: Stack, lambda: Lambda): TableStream {
  const mappings = stack.resources('AWS::Lambda::EventSourceMapping').map((given) => {
    const { FunctionName, BatchSize, FilterCriteria } = v.parse(Mapping, given);
    const patterns = FilterCriteria.Filters.map(({ Pattern: pattern }) => pattern);
    return { name: FunctionName, size: BatchSize, patterns, waiting: new Array<Told>() };
  });
  const isWanted = ({ eventName: names, dynamodb }: Pattern, { eventName, keys }: Told) =>
    names?.includes(eventName) !== false &&
    dynamodb.Keys.sort.S.some(({ prefix }) => keys.sort.S.startsWith(prefix));
  return {
    put(keys, eventName = 'MODIFY') {
      const told = { eventName, keys };
      for (const { patterns, waiting } of mappings) {
        if (patterns.some((pattern) => isWanted(pattern, told))) waiting.push(told);
      }
    },
    async delivered() {
      for (const { name, size, waiting } of mappings) {
        while (waiting.length > 0) {
          const Records = waiting.splice(0, size).map(({ eventName, keys }) => ({
            eventName,
            dynamodb: { ApproximateCreationDateTime: Date.now() / 1000, Keys: keys },
          }));
          const arn = `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}`;
          const { functionError, payload } = await lambda.invoke(arn, JSON.stringify({ Records }));
          if (functionError !== undefined) throw new Error(`${name} failed: ${String(payload)}`);
        }
      }
    },
  };
}

const Write = v.pipe(
  v.string(),
  v.parseJson(),
  v.union([
    v.pipe(
      v.object({ Item: Keys }),
      v.transform(({ Item }) => Item),
    ),
    v.pipe(
      v.object({ Key: Keys }),
      v.transform(({ Key }) => Key),
    ),
  ]),
);

/** Has each write that a database takes told to a stream. */
export function tellWrites(database: Server, stream: () => TableStream): void {
  database.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!/\.(Put|Update|Delete)Item$/.test(String(request.headers['x-amz-target']))) return;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.once('finish', () => {
      if (response.statusCode === 200) stream().put(v.parse(Write, String(Buffer.concat(chunks))));
    });
  });
}
