import type { Context } from 'hono';
import { toAgUi } from './ag-ui.ts';
import { fromCursor, type Positions } from '../../core/events/positions.ts';
import { createTeller, type Teller } from '../../core/events/tell.ts';
import type { ToldEvent } from '../../core/events/tree-event.ts';
import { UNDER_WAY, isIn } from '../../core/records/phase.ts';
import type { Run } from '../../core/records/run.ts';
import type { ApiPorts } from './ports.ts';
import { badField } from './problem.ts';
import { parseHeaders } from './request.ts';
import { EventsHeaders } from './request-parameters.ts';
import { answerStream } from './server-sent.ts';

/** What one answer, or one piece of a longer one, holds at most: Lambda's answers end at 6 MB. */
const MAX_PIECE_CHARACTERS = 1024 ** 2;

/**
 * A run with everything below it as server-sent events, from the one after `Last-Event-ID` on.
 * @throws {Problem} 400
 */
export async function answerEvents(c: Context, run: Run, ports: ApiPorts): Promise<Response> {
  const from = parseCursor(c, run);
  if (!isIn(UNDER_WAY, run) && from.get(run.path)?.closedBy === run.holder) {
    return answerStream(c, undefined, ports);
  }
  const teller = createTeller(run, from);
  return answerStream(c, (signal) => pieces(teller, run, ports, signal), ports);
}

function parseCursor(c: Context, run: Run): Positions {
  const { 'last-event-id': id = '' } = parseHeaders(c, EventsHeaders);
  if (id === '') return new Map();
  const positions = fromCursor(run.id, id);
  // What never was is waited for without end.
  const isAhead = (positions?.get(run.path)?.closedBy ?? 0) > run.holder;
  if (positions === undefined || isAhead) {
    throw badField('last-event-id', 'must be the id of an event of this run');
  }
  return positions;
}

/** The text of events as they happen, until the run has ended or nobody carries it out; "" for a sign of life. */
async function* pieces(
  teller: Teller,
  run: Run,
  ports: ApiPorts,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const closedBefore = teller.closedBy();
  const from = new Map([...teller.positions].map(([path, position]) => [path, { ...position }]));
  for await (const { records, isAbandoned } of ports.look(run, signal, from)) {
    let text = '';
    for (const told of teller.news(records)) {
      for (const part of partsOf(run.id, told)) {
        text += part;
        if (text.length < MAX_PIECE_CHARACTERS) continue;
        yield text;
        text = '';
      }
    }
    yield text;
    if (isAbandoned || (teller.closedBy() ?? -1) > (closedBefore ?? -1)) return;
  }
}

/** An event as a client gets it: each part of it says where to go on. */
function* partsOf(top: string, told: ToldEvent): Generator<string> {
  const parts = toAgUi(top, told);
  for (const [index, part] of parts.entries()) {
    if (index < (told.skip ?? 0)) continue;
    const id = told.cursor(index + 1 < parts.length ? index + 1 : undefined);
    yield `id: ${id}\ndata: ${JSON.stringify(part)}\n\n`;
  }
}
