import * as v from 'valibot';
import { notAList } from '../../not-a-list.ts';

/** What a caller notes about a run to find it by: `{ customer: 'acme', ticket: '4711' }`. */
export type Tags = Record<string, string>;

const MOST_TAGS = 20;
const MOST_CHARACTERS = 200;

/** The tags of a request, as any caller may write them. */
export const TagsSchema = v.pipe(
  notAList(
    v.record(
      v.pipe(
        v.string(),
        v.regex(
          /^[a-z][\w.-]{0,39}$/,
          'must begin with a small letter and have at most 40 characters: letters, digits, ".", "_" and "-"',
        ),
      ),
      v.pipe(
        v.string('must be a string'),
        v.maxLength(MOST_CHARACTERS, `must have at most ${MOST_CHARACTERS} characters`),
      ),
      'must be an object',
    ),
  ),
  v.check((tags) => Object.keys(tags).length <= MOST_TAGS, `must be at most ${MOST_TAGS}`),
);

/** A tag as it is typed, `key=value`; undefined for a text that is none. */
export function parseTag(text: string): [key: string, value: string] | undefined {
  const at = text.indexOf('=');
  return at < 1 ? undefined : [text.slice(0, at), text.slice(at + 1)];
}
