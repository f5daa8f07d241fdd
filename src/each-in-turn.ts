/** Does work for one thing after the other. @throws what went wrong first, once the others have had their turn */
export async function eachInTurn<T>(
  things: Iterable<T> | AsyncIterable<T>,
  work: (thing: T) => Promise<void>,
): Promise<void> {
  const ends: PromiseSettledResult<void>[] = [];
  for await (const thing of things) ends.push(...(await Promise.allSettled([work(thing)])));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
