/**
 * Executions that are described at once. DescribeExecution takes 250 requests at once and then 10 to 15 a second for a
 * whole account (Step Functions, "Quotas"). With the SDK's pauses before it repeats a throttled request, this few stay
 * near that rate.
 */
export const ASKED_AT_ONCE = 5;

/** Does work for the items in their order, `size` of them at a time; the first failure ends it. */
export async function inBatches<T, R>(
  size: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for await (const result of batchByBatch(size, items, work)) results.push(result);
  return results;
}

/** As `inBatches`, for a reader that may need only the first results: the next batch waits until it is read. */
export async function* batchByBatch<T, R>(
  size: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): AsyncGenerator<Awaited<R>> {
  for (let from = 0; from < items.length; from += size) {
    yield* await Promise.all(items.slice(from, from + size).map(work));
  }
}
