import type { Context } from 'hono';
import { UNDER_WAY, isIn } from '../../core/records/phase.ts';
import type { Run } from '../../core/records/run.ts';
import type { WritingEvent } from './answers.ts';
import type { WatchContext } from './context.ts';
import { parseHeaders } from './request.ts';
import { TreeEventsHeaders } from './reading-parameters.ts';
import { answerStream } from './server-sent.ts';

/** The answer that a run's model is writing, as server-sent events: each has what was added since the one before. */
export async function answerEvents(c: Context, run: Run, context: WatchContext): Promise<Response> {
  const { 'last-event-id': last = '' } = parseHeaders(c, TreeEventsHeaders);
  if (!isIn(UNDER_WAY, run)) return answerStream(c, undefined, context);
  return answerStream(c, (signal) => pieces(run, last, context, signal), context);
}

async function* pieces(
  { id }: Run,
  last: string,
  context: WatchContext,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let [answer, told = 0] = parseId(last);
  let thought = '';
  for await (const { records, isAbandoned } of context.environment.look({ id }, signal)) {
    const { run, draft, turns = [] } = records.runs.get(id) ?? {};
    if (isAbandoned || (run !== undefined && !isIn(UNDER_WAY, run))) return;
    if (draft === undefined || draft.turn <= turns.length) continue;
    const { turn, at, text, thinking = '' } = draft;
    // A request that is repeated begins its answer anew.
    if (answer !== `${turn}-${at}`) [answer, told, thought] = [`${turn}-${at}`, 0, ''];
    const isThinking = text === '' && thinking !== thought;
    if (text.length <= told && !isThinking) continue;
    const event: WritingEvent = {
      turn,
      offset: told,
      text: text.slice(told),
      ...(isThinking && { thinking }),
    };
    [told, thought] = [text.length, thinking];
    yield `id: ${answer}-${told}\ndata: ${JSON.stringify(event)}\n\n`;
  }
}

/** The answer of an earlier event, and how much of it was told; any other id counts as none. */
function parseId(id: string): [answer: string, told?: number] {
  const [, answer = '', told] = /^(\d+-\d+)-(\d{1,9})$/.exec(id) ?? [];
  return [answer, Number(told ?? 0)];
}
