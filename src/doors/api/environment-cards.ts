import { A2A_PATH } from './door-paths.ts';

/**
 * A card of an agent of a deployed environment for those who find it on this machine: what they send to the agent is to be
 * signed here, and so goes to this address as well.
 * @param here the URL that was asked for the card
 */
export async function cardFoundHere(card: Response, here: string): Promise<Response> {
  if (!card.ok) return card;
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
