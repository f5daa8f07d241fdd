import { matchesStars } from './permission-rule.ts';

/**
 * Whether a pattern fits an address. An address can be written in many ways: a pattern that allows has to fit it as it
 * is fetched; one that denies also fits it as written, and as a server may read it.
 */
export function matchesAddress(pattern: string, address: string, allows: boolean): boolean {
  const written = address.trim();
  const fetched = fetchedForm(written);
  const forms = allows ? [fetched] : [written, fetched, servedForm(fetched)];
  return [pattern, fetchedForm(pattern)].some((each) => forms.some((form) => matchesStars(each, form)));
}

/** The spelling of an address that every server takes for the same page; a text that is no address stays as it is. */
function fetchedForm(written: string): string {
  if (!URL.canParse(written)) return written;
  const url = new URL(written);
  url.hash = '';
  // Takes away a question mark that nothing follows.
  if (url.search === '') url.search = '';
  url.hostname = url.hostname.replace(/\.$/, '');
  return url.href.replace(/%[\da-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(parseInt(escape.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
  });
}

/** The form in which many servers read an address: escapes stand for their characters, and several slashes for one. */
function servedForm(fetched: string): string {
  const plain = fetched.replace(/(?:%[\dA-F]{2})+/g, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
  return fetchedForm(plain.replace(/(?<!:)[/\\]{2,}/g, '/'));
}
