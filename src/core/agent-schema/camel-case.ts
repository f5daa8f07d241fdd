type CamelCase<Key> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key;

/** The same with every key in camel case, in nested tables too: `max_tokens` is `maxTokens`. */
export type CamelCased<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { [Key in keyof Value as CamelCase<Key>]: CamelCased<Value[Key]> }
    : Value;

/** Gives every key of a table, and of the tables in it, its name in camel case. */
export function toCamelCase<Value extends object>(table: Value): CamelCased<Value>;
export function toCamelCase(table: object): object {
  return Object.fromEntries(
    Object.entries(table).map(([key, value]: [string, unknown]) => [
      key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      typeof value === 'object' && value !== null && !Array.isArray(value) ? toCamelCase(value) : value,
    ]),
  );
}
