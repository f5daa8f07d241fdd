/** A value that JSON can carry unchanged: what is kept in the store and what travels in the state. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** `JSON.parse` with the type that it has. @throws {SyntaxError} */
export function parseJson(text: string): Json {
  // oxlint-disable-next-line typescript/no-unsafe-return -- JSON.parse gives any; what it gives is Json
  return JSON.parse(text);
}

/** Whether JSON can carry a value; TOML has dates and infinities, too. */
export function isJson(value: unknown): value is Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  return typeof value === 'object' && !(value instanceof Date) && Object.values(value).every(isJson);
}

/** Whether a value is an object, and neither an array nor null. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** No tool asks for more, and what recurses through a value, `JSON.stringify` for one, takes some thousands. */
const MOST_LEVELS = 64;

/** Whether objects and arrays are nested in a value no deeper than can be kept and sent. */
export function isShallow(value: unknown): boolean {
  let level = [value].filter(isNested);
  for (let depth = 0; depth < MOST_LEVELS && level.length > 0; depth++) {
    level = level.flatMap((outer) => Object.values(outer).filter(isNested));
  }
  return level.length === 0;
}

/** Whether a value is an object or an array. */
export function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The value that the steps of a JSON pointer lead to (RFC 6901). */
export function atPointer(root: Json, steps: readonly string[]): Json | undefined {
  let at: Json | undefined = root;
  for (const step of steps) {
    const name = fromPointer(step);
    if (!isNested(at) || !Object.hasOwn(at, name)) return undefined;
    at = Array.isArray(at) ? at[Number(name)] : at[name];
  }
  return at;
}

/** A name within a JSON pointer (RFC 6901, section 3). */
export function fromPointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
