/** More models than this are not in use at once. */
const MOST_KNOWN = 100;

/** Keeps what is found of a model by its name: a conversation asks for the same at each of its turns. */
export function byModel<T>(find: (model: string) => T): (model: string) => T {
  const known = new Map<string, { found: T }>();
  return (model) => {
    const before = known.get(model);
    if (before !== undefined) return before.found;
    const found = find(model);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(model, { found });
    return found;
  };
}
