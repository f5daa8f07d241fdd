import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { atMost } from '../../../../at-most.ts';
import { StoreError } from '../../../../errors.ts';
import { parseJson, type Json } from '../../../../json.ts';
import { askAws, isAwsError } from '../../aws-errors.ts';
import { AT_A_TIME } from '../../client-limits.ts';
import { tableAttributes } from './attributes.ts';
import { spreadKey } from './spread.ts';
import { isList } from '../../../store/partitions.ts';
import { checkKey, checkPrefix, nameOf, toJsonText } from '../../../store/item-limits.ts';
import type { Item, Key, PutOptions, QueryOptions, Replacement, Table } from '../../../store/table.ts';

/**
 * A table in DynamoDB, with the keys of `tableAttributes`. Takes the client over: `close` destroys it.
 *
 * The SDK repeats a request whose answer was lost, and the repetition then fails on what the first one wrote. So each
 * write leaves an id of its own in the item, and a write that fails on its condition reads whose id is there:
 * - `putIfAbsent` tells its own item from another's for as long as the item is there;
 * - `putIfVersion` knows its own write while it is the latest. Where another came between the lost answer and the
 * repetition, it says that the item has moved on, as it has: its caller then writes on top of the newer item, and a
 * second write of the same has to change nothing.
 *
 * Where even the repetitions had no answer, the error says so, and the write may or may not have happened.
 *
 * Partitions that runs of all trees write to are spread over several. What earlier releases wrote to the partition itself
 * is found by queries, and removed, for as long as it is there; no such item is read or changed by its key alone.
 */
export function createDynamoTable(options: DynamoTableOptions): Table {
  return new DynamoTable(options);
}

export interface DynamoTableOptions {
  client: DynamoDBClient;
  tableName: string;
  /** Whether a partition is spread over several; if left out, lists are. */
  isSpread?: (partition: string) => boolean;
}

type Attributes = Record<string, AttributeValue>;

class DynamoTable implements Table {
  readonly #client: DynamoDBClient;
  readonly #tableName: string;
  readonly #isSpread: (partition: string) => boolean;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #inTurn = atMost(AT_A_TIME);
  #isClosed = false;

  constructor({ client, tableName, isSpread = isList }: DynamoTableOptions) {
    this.#client = client;
    this.#tableName = tableName;
    this.#isSpread = isSpread;
  }

  async get(key: Key): Promise<Item | undefined> {
    checkKey(key);
    const attributes = await this.#attributesOf(key);
    return attributes && toItem(key.partition, attributes);
  }

  async putIfAbsent(
    key: Key,
    value: Json,
    options: PutOptions = {},
  ): Promise<{ written: boolean; item: Item }> {
    checkKey(key);
    const text = toJsonText(key, value, options.text);
    const id = randomUUID();
    const { written, removed } = apart(options.ahead);
    if (written.length > 0) await this.#replace(written, options.expires);
    for (;;) {
      const isWritten = await this.#sendIf(key, () =>
        this.#client.send(
          new PutItemCommand({
            TableName: this.#tableName,
            Item: {
              ...this.#place(key),
              value: { S: text },
              version: { N: '1' },
              createdBy: { S: id },
              writtenBy: { S: id },
              ...(options.expires !== undefined && {
                [tableAttributes.expires]: { N: `${options.expires}` },
              }),
            },
            ConditionExpression: 'attribute_not_exists(#partition)',
            ExpressionAttributeNames: { '#partition': tableAttributes.partition },
          }),
        ),
      );
      if (isWritten) {
        await this.#replace(removed);
        return { written: true, item: { key, value, version: 1 } };
      }
      const present = await this.#attributesOf(key);
      // Removed in between: the key is free again.
      if (present) return { written: present['createdBy']?.S === id, item: toItem(key.partition, present) };
    }
  }

  async putIfVersion(
    key: Key,
    value: Json,
    version: number,
    options: PutOptions = {},
  ): Promise<Item | undefined> {
    checkKey(key);
    const text = toJsonText(key, value, options.text);
    const id = randomUUID();
    const { written, removed } = apart(options.ahead);
    if (written.length > 0) await this.#replace(written, options.expires);
    const isWritten = await this.#sendIf(key, () =>
      this.#client.send(this.#update(key, text, id, options.expires, version)),
    );
    const present = isWritten ? undefined : await this.#attributesOf(key);
    if (!isWritten && present?.['writtenBy']?.S !== id) return undefined;
    await this.#replace(removed);
    return present === undefined ? { key, value, version: version + 1 } : toItem(key.partition, present);
  }

  /** Writes items whatever is there, all at once. */
  async #replace(items: readonly Replacement[], expires?: number): Promise<void> {
    const updates = items.map(({ key, value }) => {
      if (value === undefined) return this.delete(key);
      checkKey(key);
      const update = this.#update(key, toJsonText(key, value), randomUUID(), expires);
      return this.#send(`write item ${nameOf(key)} to`, () => this.#client.send(update));
    });
    await Promise.all(updates);
  }

  /** @param version that the item must have; absent: any, or none */
  #update(key: Key, text: string, id: string, expires?: number, version?: number): UpdateItemCommand {
    return new UpdateItemCommand({
      TableName: this.#tableName,
      Key: this.#place(key),
      UpdateExpression:
        'SET #value = :value, #version = if_not_exists(#version, :none) + :one, #writtenBy = :id' +
        (expires === undefined ? ' REMOVE #expires' : ', #expires = :expires'),
      ...(version !== undefined && { ConditionExpression: '#version = :version' }),
      ExpressionAttributeNames: {
        '#value': 'value',
        '#version': 'version',
        '#writtenBy': 'writtenBy',
        '#expires': tableAttributes.expires,
      },
      ExpressionAttributeValues: {
        ':value': { S: text },
        ':none': { N: '0' },
        ':one': { N: '1' },
        ':id': { S: id },
        ...(version !== undefined && { ':version': { N: `${version}` } }),
        ...(expires !== undefined && { ':expires': { N: `${expires}` } }),
      },
    });
  }

  async *query(partition: string, prefix: string, options: QueryOptions = {}): AsyncGenerator<Item> {
    checkPrefix(partition, prefix);
    const read = (part: string, more: QueryOptions) => this.#query(part, partition, prefix, more);
    yield* this.#isSpread(partition)
      ? (await import('./spread-query.ts')).querySpread(partition, options, read)
      : read(partition, options);
  }

  /** @param part where the items of the partition lie */
  async *#query(
    part: string,
    partition: string,
    prefix: string,
    options: QueryOptions,
  ): AsyncGenerator<Item> {
    let left = options.limit ?? Infinity;
    const { after } = options;
    let start = after === undefined ? undefined : toKeyAttributes({ partition: part, sort: after });
    while (left > 0) {
      const page = await this.#send(`list items "${partition} ${prefix}…" of`, () =>
        this.#client.send(
          new QueryCommand({
            TableName: this.#tableName,
            // DynamoDB refuses an empty string in a condition on a key.
            KeyConditionExpression: prefix
              ? '#partition = :partition AND begins_with(#sort, :prefix)'
              : '#partition = :partition',
            ExpressionAttributeNames: {
              '#partition': tableAttributes.partition,
              ...(prefix && { '#sort': tableAttributes.sort }),
            },
            ExpressionAttributeValues: {
              ':partition': { S: part },
              ...(prefix && { ':prefix': { S: prefix } }),
            },
            ConsistentRead: true,
            ScanIndexForward: !options.reverse,
            ...(left < Infinity && { Limit: left }),
            ExclusiveStartKey: start,
          }),
        ),
      );
      const items = page.Items ?? [];
      for (const attributes of items) yield toItem(partition, attributes);
      start = page.LastEvaluatedKey;
      if (!start) return;
      left -= items.length;
    }
  }

  async delete(key: Key): Promise<void> {
    checkKey(key);
    const places = this.#isSpread(key.partition) ? [key, spreadKey(key)] : [key];
    const deletions = places.map((place) =>
      this.#send(`delete item ${nameOf(key)} of`, () =>
        this.#client.send(new DeleteItemCommand({ TableName: this.#tableName, Key: toKeyAttributes(place) })),
      ),
    );
    await Promise.all(deletions);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#underWay);
    this.#client.destroy();
  }

  async #attributesOf(key: Key): Promise<Attributes | undefined> {
    const { Item } = await this.#send(`read item ${nameOf(key)} of`, () =>
      this.#client.send(
        new GetItemCommand({ TableName: this.#tableName, Key: this.#place(key), ConsistentRead: true }),
      ),
    );
    return Item;
  }

  #place(key: Key): Attributes {
    return toKeyAttributes(this.#isSpread(key.partition) ? spreadKey(key) : key);
  }

  /** Sends a conditional write; undefined if its condition did not hold. */
  #sendIf<Output>(key: Key, request: () => Promise<Output>): Promise<Output | undefined> {
    return this.#send(`write item ${nameOf(key)} to`, () =>
      request().catch((thrown: unknown) => {
        if (!isAwsError(thrown, 'ConditionalCheckFailedException')) throw thrown;
        return undefined;
      }),
    );
  }

  async #send<Output>(deed: string, request: () => Promise<Output>): Promise<Output> {
    const table = `table "${this.#tableName}"`;
    if (this.#isClosed) throw new StoreError(`${table} is closed`);
    const answer = this.#inTurn(request);
    this.#underWay.add(answer);
    try {
      return await askAws(`${deed} ${table}`, () => answer);
    } finally {
      this.#underWay.delete(answer);
    }
  }
}

/** Items that are there from now on, and those that are not. */
function apart(items: readonly Replacement[] = []) {
  const isRemoved = ({ value }: Replacement) => value === undefined;
  return { written: items.filter((item) => !isRemoved(item)), removed: items.filter(isRemoved) };
}

function toKeyAttributes({ partition, sort }: Key): Attributes {
  return { [tableAttributes.partition]: { S: partition }, [tableAttributes.sort]: { S: sort } };
}

function toItem(partition: string, attributes: Attributes): Item {
  return {
    key: {
      partition,
      sort: attributes[tableAttributes.sort]?.S ?? '',
    },
    value: parseJson(attributes['value']?.S ?? 'null'),
    version: Number(attributes['version']?.N),
  };
}
