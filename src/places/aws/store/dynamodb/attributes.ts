/** The names in the DynamoDB table that its maker must know: its two keys and its TTL attribute. */
export const tableAttributes = {
  /** Partition key, a string. */
  partition: 'partition',
  /** Sort key, a string. */
  sort: 'sort',
  /** When the item may be removed, in seconds since 1970. */
  expires: 'expires',
} as const;
