/** As many texts as are in use at once, such as the runs and models of a tree at work. */
const MOST = 1_000;

/** Keeps what a function finds for each text, of those that it was asked for lately: it finds the same every time. */
export function memoize<T>(find: (text: string) => T): (text: string) => T {
  const known = new Map<string, { found: T }>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before.found;
    const found = find(text);
    if (known.size >= MOST) known.clear();
    known.set(text, { found });
    return found;
  };
}
