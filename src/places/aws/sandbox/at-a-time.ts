/** Does something with each of a list, so many at a time, in order. The first fault ends it. */
export async function atATime<T>(
  most: number,
  all: readonly T[],
  work: (each: T) => Promise<void>,
): Promise<void> {
  const left = all.values();
  const worker = async () => {
    for (const each of left) await work(each);
  };
  await Promise.all(Array.from({ length: Math.min(most, all.length) }, worker));
}
