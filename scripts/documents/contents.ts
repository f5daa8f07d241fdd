import { posix } from 'node:path';
import { waysIn } from './markdown.ts';

/** The page that lists all others, and the front page of the site. */
export const FRONT_PAGE = 'docs/README.md';

/** A part of the documentation. */
export interface Section {
  title: string;
  /** Its pages in the order in which they are listed: their titles there, and their paths in the repository. */
  pages: { title: string; path: string }[];
}

/**
 * The sections of a list of pages, as `docs/README.md` is one: each heading, with the links to documents below it.
 * @param path of the list, in the repository
 */
export function sectionsOf(text: string, path: string): Section[] {
  const [, ...parts] = text.split(/^## /m);
  return parts.map((part) => {
    const [title = ''] = part.split('\n', 1);
    const pages = waysIn(part)
      .filter(({ target }) => target.endsWith('.md'))
      .map(({ target, at }) => ({
        title: part.slice(part.lastIndexOf('[', at) + 1, at - 2),
        path: posix.join(posix.dirname(path), target),
      }));
    return { title, pages };
  });
}
