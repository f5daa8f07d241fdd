import { A2A_PATH } from './door-paths.ts';

/**
 * The card of an agent of a deployed environment, as clients on this machine read it. Their requests have to be signed
 * here, so the card's URLs are replaced by this address.
 * @param here the URL that was asked for the card
 */
export async function cardFoundHere(card: Response, here: string): Promise<Response> {
  if (!card.ok || card.body === null) return card;
  const moved = (key: string, value: unknown): unknown => {
    if (key !== 'url' || typeof value !== 'string' || !URL.canParse(value)) return value;
    const { pathname } = new URL(value);
    return pathname.startsWith(`${A2A_PATH}/`) ? new URL(pathname, here).href : value;
  };
  const body = JSON.stringify(JSON.parse(await card.text(), moved));
  const headers = new Headers(card.headers);
  headers.delete('content-length');
  return new Response(body, { headers });
}
