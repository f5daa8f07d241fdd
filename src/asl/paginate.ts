import { StatesApiError } from './api-errors.ts';

/** How many entries a page has where the request does not say. */
const DEFAULT_PAGE = 100;

/**
 * Cuts a page out of a list.
 * @param slice gives a part of the list, which may end before `end`
 * @param request.maxResults 0 stands for the default
 * @param request.nextToken what the page before gave
 * @throws StatesApiError InvalidToken
 */
export function paginate<T>(
  slice: (start: number, end: number) => T[],
  { maxResults, nextToken }: { maxResults: number; nextToken?: string | undefined },
): { items: T[]; nextToken?: string } {
  const start = nextToken === undefined ? 0 : readToken(nextToken);
  const end = start + (maxResults || DEFAULT_PAGE);
  const items = slice(start, end + 1);
  if (items.length <= end - start) return { items };
  return { items: items.slice(0, -1), nextToken: writeToken(end) };
}

function writeToken(position: number): string {
  return Buffer.from(JSON.stringify({ position })).toString('base64url');
}

function readToken(token: string): number {
  const position = /^\{"position":(\d+)\}$/.exec(Buffer.from(token, 'base64url').toString())?.[1];
  if (position === undefined) {
    throw new StatesApiError('InvalidToken', `Invalid Token: '${token.slice(0, 100)}'`);
  }
  return Number(position);
}
