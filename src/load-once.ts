/**
 * Loads a module with the first call, and hands the same on with every later one. To import a module again takes as
 * long as to read a record, though it is there already.
 */
export function loadOnce<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let loading: Promise<Module> | undefined;
  return () => (loading ??= load());
}
