import type { Context } from 'hono';
import { toAgUi } from './ag-ui/to-ag-ui.ts';
import { isAnyGoingOn } from '../../core/events/going-on.ts';
import { fromCursor, isClosed, type Positions } from '../../core/events/positions.ts';
import type { ToldEvent } from '../../core/events/tree-event.ts';
import { branchOf, type Run } from '../../core/records/run.ts';
import type { WatchContext } from './context.ts';
import { badField } from './problem.ts';
import { parseHeaders } from './request.ts';
import { EventsHeaders } from './reading-parameters.ts';
import { answerStream } from './server-sent.ts';

/** The most that one answer, or one piece of a longer one, holds: Lambda's answers end at 6 MB. */
const MAX_PIECE_CHARACTERS = 1024 ** 2;

/**
 * A run with everything below it as server-sent events, from the one after `Last-Event-ID` on.
 * @throws {Problem} 400
 */
export async function answerEvents(c: Context, run: Run, context: WatchContext): Promise<Response> {
  const from = parseCursor(c, run);
  if (await isAllTold(run, from, context)) return answerStream(c, undefined, context);
  return answerStream(c, (signal) => pieces(run, from, context, signal), context);
}

/** Whether a client has the end of a run, and nothing else of it is left to tell or continues. */
async function isAllTold(run: Run, from: Positions, { environment, now }: WatchContext): Promise<boolean> {
  if (!isClosed(run, from)) return false;
  if (isAnyGoingOn(branchOf(run, await environment.records.tree(run.id)), now())) return false;
  const { signal } = new AbortController();
  for await (const _ of environment.follow(run.id, { from, signal, until: Promise.resolve() })) return false;
  return true;
}

function parseCursor(c: Context, run: Run): Positions {
  const { 'last-event-id': id = '' } = parseHeaders(c, EventsHeaders);
  if (id === '') return new Map();
  const positions = fromCursor(run.id, id);
  // An event that never was would be awaited without end.
  const isAhead = (positions?.get(run.path)?.closedBy ?? 0) > run.holder;
  if (positions === undefined || isAhead) {
    throw badField('last-event-id', 'must be the id of an event of this run');
  }
  return positions;
}

/** The text of events as they happen, some at once, until nothing continues or the run has no carrier. */
async function* pieces(
  run: Run,
  from: Positions,
  { environment }: WatchContext,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const left = new AbortController();
  const until = 'rest';
  const events = environment.follow(run.id, {
    from,
    live: true,
    signal: AbortSignal.any([signal, left.signal]),
    until,
  });
  const parts = partsOf(run.id, events);
  try {
    let next = parts.next();
    for (let isOver = false; !isOver;) {
      let text = '';
      for (let part; (part = text === '' ? await next : await orNothing(next)) !== undefined;) {
        isOver = part.done === true;
        if (part.done) break;
        text += part.value;
        next = parts.next();
        if (text.length >= MAX_PIECE_CHARACTERS) break;
      }
      yield text;
    }
  } finally {
    left.abort();
  }
}

/** Events that come before other work has its turn. */
function orNothing<T>(next: Promise<T>): Promise<T | undefined> {
  return Promise.race([next, new Promise<undefined>((resolve) => setImmediate(resolve, undefined))]);
}

/** Events as a client gets them: each part of them says where to go on. */
async function* partsOf(top: string, events: AsyncIterable<ToldEvent>): AsyncGenerator<string> {
  for await (const told of events) {
    const parts = toAgUi(top, told);
    for (const [index, part] of parts.entries()) {
      if (index < (told.skip ?? 0)) continue;
      const id = told.cursor(index + 1 < parts.length ? index + 1 : undefined);
      yield `id: ${id}\ndata: ${JSON.stringify(part)}\n\n`;
    }
  }
}
