/** Does so many things at a time; the rest waits its turn. */
export function atMost(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  /** Below 0, so many wait. */
  let free = count;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free-- <= 0) await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      free++;
      waiting.shift()?.();
    }
  };
}
