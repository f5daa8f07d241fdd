import type { AttributeValue, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { tableAttributes } from './attributes.ts';

/** Counters are attributes of their own, since DynamoDB adds to no attribute inside of a map that is not there. */
const COUNTER_PREFIX = 'counter:';

/**
 * The update that adds all amounts or, where a ceiling would be passed or the write `id` is already in, none.
 * DynamoDB conditions compare but do not calculate, so a counter is held against what the ceiling leaves for it.
 */
export function toAddUpdate(
  id: string,
  amounts: Record<string, number>,
  ceilings: Record<string, number>,
  expires: number | undefined,
): Pick<
  UpdateItemCommandInput,
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
> {
  const amountOf = new Map(Object.entries(amounts));
  const names = new Map([
    ['#version', 'version'],
    ['#writtenBy', 'writtenBy'],
  ]);
  const values = new Map<string, AttributeValue>([
    [':one', { N: '1' }],
    [':id', { S: id }],
  ]);
  const settings = ['#writtenBy = :id'];
  if (expires !== undefined) {
    names.set('#expires', tableAttributes.expires);
    values.set(':expires', { N: `${expires}` });
    settings.push('#expires = :expires');
  }
  const additions = ['#version :one'];
  const conditions = ['(attribute_not_exists(#writtenBy) OR #writtenBy <> :id)'];

  for (const [index, [counter, amount]] of [...amountOf].entries()) {
    names.set(`#a${index}`, COUNTER_PREFIX + counter);
    values.set(`:a${index}`, { N: `${amount}` });
    additions.push(`#a${index} :a${index}`);
  }
  for (const [index, [counter, ceiling]] of Object.entries(ceilings).entries()) {
    const room = ceiling - (amountOf.get(counter) ?? 0);
    names.set(`#c${index}`, COUNTER_PREFIX + counter);
    values.set(`:c${index}`, { N: `${room}` });
    const isUnder = `#c${index} <= :c${index}`;
    // A counter that is not there counts as 0, and fails every comparison.
    conditions.push(room >= 0 ? `(attribute_not_exists(#c${index}) OR ${isUnder})` : isUnder);
  }
  return {
    UpdateExpression: `SET ${settings.join(', ')} ADD ${additions.join(', ')}`,
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(names),
    ExpressionAttributeValues: Object.fromEntries(values),
  };
}

/** All counters among the attributes. */
export function toCounters(attributes: Record<string, AttributeValue>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(attributes)
      .filter(([name]) => name.startsWith(COUNTER_PREFIX))
      .map(([name, total]) => [name.slice(COUNTER_PREFIX.length), Number(total.N)]),
  );
}
