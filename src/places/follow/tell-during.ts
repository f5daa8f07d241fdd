import type { ToldEvent } from '../../core/events/tree-event.ts';

/**
 * Does work, and tells the events in the meantime.
 * @param follow the events until a promise is settled
 * @returns the work's result, once everything has been told
 */
export async function tellDuring<T>(
  follow: (until: Promise<unknown>) => AsyncIterable<ToldEvent>,
  tell: (told: ToldEvent) => void,
  work: () => Promise<T>,
): Promise<T> {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const done = begun.then(work);
  const telling = (async () => {
    for await (const told of follow(done)) tell(told);
  })();
  // It listens by now.
  begin();
  const [result, told] = await Promise.allSettled([done, telling]);
  if (result.status === 'rejected') throw result.reason;
  if (told.status === 'rejected') throw told.reason;
  return result.value;
}
