/** A value that JSON can carry unchanged: what is kept in the store and what travels in the state. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** `JSON.parse` with the type that it has. @throws {SyntaxError} */
export function parseJson(text: string): Json {
  // oxlint-disable-next-line typescript/no-unsafe-return -- JSON.parse gives any; what it gives is Json
  return JSON.parse(text);
}
