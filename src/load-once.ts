/**
 * Loads something with the first call, such as a module, and hands the same on with every later one. To import a module
 * again takes as long as to read a record, though it is there already.
 */
export function loadOnce<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | undefined;
  return () => (loading ??= load());
}
