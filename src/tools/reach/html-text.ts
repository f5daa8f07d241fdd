import { convert } from 'html-to-text';
import { Parser } from 'htmlparser2';

/**
 * The most elements of a page written by people, and of one that takes seconds to read: the time for depth grows with
 * its square. The largest articles of Wikipedia have half as many.
 */
const MAX_ELEMENTS = 100_000;
const MAX_DEPTH = 2_000;

/** Below this depth there is no text left out of anything that people write. */
const MAX_SHOWN_DEPTH = 200;

/**
 * The text of a page: headings and lists as they look, links with their targets.
 * @param url of the page, against which its links are resolved
 * @returns undefined for a text that is too large or too deep to be a page
 */
export function htmlToText(html: string, url: string): string | undefined {
  let elements = 0;
  let depth = 0;
  let isPage = true;
  const parser = new Parser({
    onopentag() {
      elements++;
      depth++;
      isPage &&= elements <= MAX_ELEMENTS && depth <= MAX_DEPTH;
      if (!isPage) parser.pause();
    },
    onclosetag() {
      depth--;
    },
  });
  parser.end(html);
  if (!isPage) return undefined;
  return convert(html, {
    wordwrap: false,
    limits: { maxDepth: MAX_SHOWN_DEPTH },
    selectors: [
      { selector: 'a', options: { baseUrl: url, hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
      { selector: 'img', format: 'skip' },
      ...[1, 2, 3, 4, 5, 6].map((level) => ({ selector: `h${level}`, options: { uppercase: false } })),
    ],
  });
}
