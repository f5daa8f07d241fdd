import { randomUUID } from 'node:crypto';
import type { TreeEvent } from '../../core/events/tree-event.ts';
import type { RunEvent } from '../../core/events/event.ts';
import type { ApiContext } from './context.ts';

/**
 * Tells the listener all events of a tree from now on.
 * @param root the run at its top, which may not exist yet
 * @returns a function that ends this
 */
export async function listen(
  root: string,
  listener: (event: RunEvent) => void,
  { environment, log }: ApiContext,
): Promise<() => void> {
  const from = await environment.told(root);
  const stop = new AbortController();
  const tell = async () => {
    for await (const event of environment.follow(root, { from, live: true, signal: stop.signal })) {
      toPieces(event).forEach(listener);
    }
  };
  // Those that wait for an end find it in the records.
  void tell().catch((thrown: unknown) =>
    log({ id: randomUUID(), method: 'follow', path: `/runs/${root}`, thrown }),
  );
  return () => stop.abort();
}

/** Text is told while it is written, and the rest of it with the end of its turn. */
function toPieces({ event, before }: TreeEvent): RunEvent[] {
  if (event.type !== 'turn_finished' || before === undefined) return [event];
  // The whole text of the next attempt follows the rest of one that failed.
  const text = before.isVoid ? `\n\n${event.text}` : event.text.slice(before.characters);
  return text === '' ? [event] : [{ ...event, type: 'message_delta', kind: 'text', text }, event];
}
