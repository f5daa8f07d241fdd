import { convert } from 'html-to-text';
import { Parser } from 'htmlparser2';

/**
 * What nobody writes by hand, and what takes seconds to read: the time for depth grows with its square. The largest
 * articles of Wikipedia have half as many elements.
 */
const MAX_ELEMENTS = 100_000;
const MAX_DEPTH = 2_000;

/** Below this depth there is no text left out of anything that people write. */
const MAX_SHOWN_DEPTH = 200;

/**
 * What a page says, as text: headings and lists as they look, links with where they lead.
 * @param url of the page, from which its links start
 * @returns undefined for what is too large or too deep to be a page
 */
export function htmlToText(html: string, url: string): string | undefined {
  let elements = 0;
  let depth = 0;
  const parser = new Parser({
    onopentag() {
      elements++;
      depth++;
      if (elements > MAX_ELEMENTS || depth > MAX_DEPTH) parser.pause();
    },
    onclosetag() {
      depth--;
    },
  });
  parser.end(html);
  if (elements > MAX_ELEMENTS || depth > MAX_DEPTH) return undefined;
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
