/** Which of so many partitions a key falls to: the same each time, and each of them as often as the others. */
export function shardOf(key: string, shards: number): number {
  let sum = 0;
  for (const character of key) sum = (31 * sum + (character.codePointAt(0) ?? 0)) % 65_521;
  return sum % shards;
}
