import type { Source } from '../core/records/message.ts';

const MAX_TITLE = 300;
const MAX_URL = 2_000;
/** As many pages as five searches find. */
const MOST_SOURCES = 50;

/** A page in words of others. */
interface Page {
  title?: string | null | undefined;
  url: string;
}

/** The part of an answer that says which pages it cites, each once. */
export function citing(pages: readonly Page[]): { sources?: Source[] } {
  const sources = [...new Map(pages.flatMap(shownPage).map((page) => [page.url, page])).values()];
  return sources.length === 0 ? {} : { sources: sources.slice(0, MOST_SOURCES) };
}

/** A page with a title of one line, and no longer than anyone reads; none where nobody should follow its address. */
export function shownPage({ title, url }: Page): Source[] {
  const isAddress = /^https?:\/\/\S+$/i.test(url) && url.length <= MAX_URL && URL.canParse(url);
  return isAddress ? [{ title: lineOf(title ?? '', MAX_TITLE) || url, url }] : [];
}

/** A text on one line, with at most so many characters. */
export function lineOf(text: string, most: number): string {
  const one = text.replaceAll(/\s+/g, ' ').trim();
  return (one.length > most ? `${one.slice(0, most)}...` : one).toWellFormed();
}
