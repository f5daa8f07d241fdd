import * as v from 'valibot';

/** Schemas shared by providers' answers, which read any answer at no higher cost than its text. */

/** Far more parts or calls than any model writes in one answer; those after them are not read. */
const MOST_ITEMS = 1000;

/** A list of an answer; null is an empty one. */
export function listOf<const Item extends v.GenericSchema>(item: Item) {
  return v.optional(
    v.pipe(
      v.unknown(),
      v.transform((list) => (Array.isArray(list) ? list.slice(0, MOST_ITEMS) : (list ?? []))),
      v.array(item),
    ),
    [],
  );
}

/** A count of tokens. Undefined stands for a value that can be none: it is to be estimated, never to lower a sum. */
export const tokenCount = v.optional(
  v.fallback(v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))), undefined),
);

const jsonText = v.pipe(v.string(), v.parseJson());

/** The input of a call that was streamed as JSON text; the text itself if it is no JSON, as when it was cut off. */
export function inputOf(text: string): unknown {
  const input = v.safeParse(jsonText, text);
  return input.success ? input.output : text;
}
