import { ApiError, request } from './api.ts';

/** An event of a stream: its data, still JSON, and the id to continue behind. */
export interface SentEvent {
  id: string | undefined;
  data: string;
}

export interface Following {
  /** Without a slash in front: `runs/<id>/events`. */
  path: string;
  signal: AbortSignal;
  /** Told why the server refuses for now, each time that it does, and undefined once it is connected. */
  onRefused?: (reason: string | undefined) => void;
}

/** How long to wait before the first attempt to connect again, and at most, in milliseconds. */
const RETRY_MS = 1_000;
const MOST_RETRY_MS = 15_000;

/**
 * Follows server-sent events until the server says that there are no more (204), or the signal is aborted. A broken
 * stream continues after the last event that came. Reads by `fetch`, since `EventSource` sends no headers.
 * @throws {ApiError} for a refusal that trying again does not change
 */
export async function* followEvents({ path, signal, onRefused }: Following): AsyncGenerator<SentEvent> {
  let last: string | undefined;
  let retry = RETRY_MS;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const headers = last === undefined ? undefined : { 'last-event-id': last };
      const response = await request(path, { signal, ...(headers && { headers }) });
      if (response.status === 204 || response.body === null) return;
      onRefused?.(undefined);
      failures = 0;
      for await (const block of blocksOf(response.body)) {
        retry = retryOf(block) ?? retry;
        const event = eventOf(block);
        if (event === undefined) continue;
        last = event.id ?? last;
        yield event;
      }
    } catch (thrown) {
      if (signal.aborted) return;
      if (thrown instanceof ApiError && thrown.isFinal) throw thrown;
      failures += 1;
      if (thrown instanceof ApiError && !thrown.isLost) onRefused?.(thrown.message);
    }
    await pause(Math.min(MOST_RETRY_MS, retry * 2 ** Math.max(0, failures - 1)), signal);
  }
}

/** The blocks between blank lines. The server ends lines with a line feed alone. */
async function* blocksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (let piece; !(piece = await reader.read()).done;) {
      const blocks = (rest + decoder.decode(piece.value, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      yield* blocks;
    }
  } finally {
    await reader.cancel().catch(() => {}); // a broken stream has no more to cancel
  }
}

function eventOf(block: string): SentEvent | undefined {
  const data = fieldOf(block, 'data');
  return data === undefined ? undefined : { id: fieldOf(block, 'id'), data };
}

function retryOf(block: string): number | undefined {
  const retry = fieldOf(block, 'retry');
  return retry === undefined ? undefined : Number(retry);
}

function fieldOf(block: string, name: string): string | undefined {
  const line = block.split('\n').find((each) => each.startsWith(`${name}:`));
  return line?.slice(name.length + 1).trimStart();
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
  });
}
