/** A mark of structure, a text, or any other value, behind white space. */
const TOKEN =
  /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;

/** The token that may come next: `first` and `first key` stand for a possible end of an empty array or object, too. */
type Wanted = 'value' | 'first' | 'key' | 'first key' | 'colon' | 'end';

/**
 * Where a text stops being JSON, `line:column`, both from 1; undefined where it is JSON to its end. `JSON.parse` tells
 * no place of many faults, and quotes the text, which may be a secret.
 */
export function jsonFaultPosition(text: string): string | undefined {
  const open: string[] = [];
  let wanted: Wanted = 'value';
  let at = 0;
  for (;;) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    const next: Wanted | undefined =
      found === null ? undefined : wantedAfter(found[1], found[2] !== undefined, wanted, open);
    if (next === undefined) break;
    wanted = next;
    at = TOKEN.lastIndex;
  }
  at += /^[ \t\r\n]*/.exec(text.slice(at))?.[0].length ?? 0;
  if (at === text.length && wanted === 'end' && open.length === 0) return undefined;
  const lines = text.slice(0, at).split('\n');
  return `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
}

/**
 * The token that may follow another.
 * @param mark `{`, for one; absent for a value
 * @param open the objects and arrays that the token is in, which it may begin or end
 * @returns undefined where the token may not be there
 */
function wantedAfter(
  mark: string | undefined,
  isText: boolean,
  wanted: Wanted,
  open: string[],
): Wanted | undefined {
  const isValueWanted = wanted === 'value' || wanted === 'first';
  switch (mark) {
    case '{':
    case '[':
      if (!isValueWanted) return undefined;
      open.push(mark);
      return mark === '{' ? 'first key' : 'first';
    case '}':
      return (wanted === 'end' || wanted === 'first key') && open.pop() === '{' ? 'end' : undefined;
    case ']':
      return (wanted === 'end' || wanted === 'first') && open.pop() === '[' ? 'end' : undefined;
    case ',':
      if (wanted !== 'end' || open.length === 0) return undefined;
      return open.at(-1) === '{' ? 'key' : 'value';
    case ':':
      return wanted === 'colon' ? 'value' : undefined;
    case undefined:
      if (isText && (wanted === 'key' || wanted === 'first key')) return 'colon';
      return isValueWanted ? 'end' : undefined;
    default:
      return undefined;
  }
}
