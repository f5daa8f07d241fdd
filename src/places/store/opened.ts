import type { Opened } from '../../core/records/opened.ts';
import type { RunStore } from '../../core/records/ports.ts';
import type { RunRequest } from '../../core/records/request.ts';
import { StoreError } from '../../errors.ts';
import type { Documents } from './documents.ts';
import type { Key } from './table.ts';

/** From this many UTF-16 units on, a text is not stored twice. Below, that would save less than a read costs. */
const KEPT_ONCE_FROM = 1_000;

/**
 * The fixed part of a conversation, as stored. At the top of a tree its message is mostly the text of the request,
 * which is then stored only there.
 */
interface Kept extends Opened {
  /**
   * How many characters of the request's prompt the message begins with, and of its context it ends with: `message` is
   * what is between them. Absent: it is the whole message, as in records of earlier releases.
   */
  asked?: [prompt: number, context: number];
}

/** Requests, and the fixed parts of the conversations that they begin. */
export function createOpened(
  documents: Documents,
): Pick<RunStore, 'opened' | 'request' | 'saveOpened' | 'saveRequest'> {
  /** What was made of kept ones, so that all who read one share it. */
  const made = new WeakMap<Kept, Opened>();

  function whole(run: string, kept: Kept): Opened | Promise<Opened> {
    const { asked } = kept;
    return asked === undefined ? kept : (made.get(kept) ?? withAsked(run, kept, asked));
  }

  async function withAsked(run: string, kept: Kept, [begins, ends]: [number, number]): Promise<Opened> {
    const request = await documents.get<RunRequest>(requestKey(run));
    if (request === undefined) throw new StoreError(`the store lacks the request of run "${run}"`);
    const { prompt = '', context = '' } = request;
    const { asked: _asked, ...rest } = kept;
    const end = context.slice(context.length - ends);
    const opened = { ...rest, message: `${prompt.slice(0, begins)}${rest.message}${end}` };
    made.set(kept, opened);
    return opened;
  }

  return {
    request: (run) => documents.get<RunRequest>(requestKey(run)),
    async saveRequest(run, request) {
      await documents.putIfAbsent(requestKey(run), request);
    },

    async opened(run) {
      const key = openedKey(run);
      const kept = documents.recent<Kept>(key) ?? (await documents.get<Kept>(key));
      return kept && whole(run, kept);
    },
    async saveOpened(run, opened) {
      const request = opened.root === run ? documents.recent<RunRequest>(requestKey(run)) : undefined;
      const kept = request === undefined ? opened : withoutAsked(opened, request);
      if (kept !== opened) made.set(kept, opened);
      return whole(run, await documents.putIfAbsent(openedKey(run), kept));
    },
  };
}

function withoutAsked(opened: Opened, { prompt = '', context = '' }: RunRequest): Kept {
  const { message } = opened;
  const begins = prompt.length >= KEPT_ONCE_FROM && message.startsWith(prompt) ? prompt.length : 0;
  const rest = message.slice(begins);
  const ends = context.length >= KEPT_ONCE_FROM && rest.endsWith(context) ? context.length : 0;
  if (begins + ends === 0) return opened;
  return { ...opened, message: rest.slice(0, rest.length - ends), asked: [begins, ends] };
}

function requestKey(run: string): Key {
  return { partition: `run#${run}`, sort: 'request' };
}

function openedKey(run: string): Key {
  return { partition: `run#${run}`, sort: 'opened' };
}
