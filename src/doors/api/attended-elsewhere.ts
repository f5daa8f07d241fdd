import { randomBytes, randomUUID } from 'node:crypto';
import { CLOUD_POLL_MS } from '../../places/follow/poll.ts';
import type { TreeEvent } from '../../core/events/tree-event.ts';
import type { EmitRunEvent, RunEvent } from '../../core/events/event.ts';
import type { RunStore } from '../../core/records/ports.ts';
import type { AttendedPorts } from './attended-run.ts';
import type { ApiPorts } from './ports.ts';

/** A function lasts for 15 minutes at most, of which an answer needs some to be told why it is incomplete. */
const ANSWER_SECONDS = 14 * 60;

/** What it takes to wait for runs that others carry out, in an account: their records tell what happens in them. */
export function attendedElsewhere(ports: ApiPorts): AttendedPorts {
  const { runs: store, isCarriedOut, log, now } = ports;

  async function listen(root: string, listener: EmitRunEvent): Promise<() => void> {
    const { createFollow } = await import('../../places/follow/follow.ts');
    const { follow, told } = createFollow({ store, isCarriedOut, pollMs: CLOUD_POLL_MS });
    const from = await told(root);
    const stop = new AbortController();
    const events = follow(root, { from, live: true, signal: stop.signal, until: 'rest' });
    const tell = async () => {
      for await (const event of events) toPieces(event).forEach(listener);
    };
    // Whoever waits for an end finds it in the records.
    void tell().catch((thrown: unknown) =>
      log({ id: randomUUID(), method: 'follow', path: `/runs/${root}`, thrown }),
    );
    return () => stop.abort();
  }

  return {
    ...ports,
    listen,
    answerSeconds: ANSWER_SECONDS,
    sealKeys: async () => [await sealKey(now(), store), await sealKey(now() - DAY_MS, store)],
  };
}

/** Text is told as it is kept while it is written, and the rest of it with the end of its turn. */
function toPieces({ event, before }: TreeEvent): RunEvent[] {
  if (event.type !== 'turn_finished' || before === undefined) return [event];
  // What an attempt has left behind that failed is followed by the whole of the next.
  const text = before.isVoid ? `\n\n${event.text}` : event.text.slice(before.characters);
  return text === '' ? [event] : [{ ...event, type: 'message_delta', kind: 'text', text }, event];
}

const DAY_MS = 86_400_000;

/** The key of a day: what one instance of a function sealed, another opens. Whoever asks first makes it. */
async function sealKey(time: number, store: RunStore): Promise<string> {
  const day = new Date(time).toISOString().slice(0, 10);
  const { digest } = await store.bind(JSON.stringify(['seal', day]), {
    run: '',
    digest: randomBytes(32).toString('base64url'),
  });
  return digest;
}
