import * as v from 'valibot';
import { only, wholeNumber } from './request.ts';

/** The queries and headers of requests that look into a run, loaded with the code that answers them: few do. */

const MAX_TURN = 1_000_000;

export const MessagesQuery = only({
  from_turn: v.exactOptional(
    v.pipe(
      wholeNumber(1, MAX_TURN),
      v.description('The first turn to read; the first of all has what came before it.'),
    ),
  ),
  to_turn: v.exactOptional(
    v.pipe(wholeNumber(1, MAX_TURN), v.description('The last turn to read, with the results of its calls.')),
  ),
  max_characters: v.exactOptional(
    v.pipe(
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
      v.description('Longer texts are cut; each then has the length of the whole as `characters`.'),
    ),
  ),
  max_call_characters: v.exactOptional(
    v.pipe(
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
      v.description('The same for the arguments and the results of calls alone.'),
    ),
  ),
});

export const EventsHeaders = v.object({
  'last-event-id': v.exactOptional(
    v.pipe(
      v.string(),
      v.description(
        'The `id` of the last event that you have: the answer goes on behind it. Absent: from the first.',
      ),
    ),
  ),
});

export const TreeEventsHeaders = v.object({
  'last-event-id': v.exactOptional(
    v.pipe(
      v.string(),
      v.description('The `id` of the last event that you have: what you have already is not sent again.'),
    ),
  ),
});
