/** Does work on all things, so many at once. The first failure, or the signal, ends it once what has begun is done. */
export async function inPool<T>(
  things: readonly T[],
  atOnce: number,
  signal: AbortSignal,
  work: (thing: T) => Promise<void>,
): Promise<void> {
  const left = things.values();
  let hasFailed = false;
  const worker = async () => {
    for (const thing of left) {
      if (hasFailed || signal.aborted) return;
      try {
        await work(thing);
      } catch (thrown) {
        hasFailed = true;
        throw thrown;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: Math.min(atOnce, things.length) }, worker));
  signal.throwIfAborted();
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
