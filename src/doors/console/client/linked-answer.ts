import { get } from './api.ts';

/**
 * The part of an answer that was too large for it; undefined if it is on another host, since requests carry the
 * server's token and go nowhere else.
 */
export async function linkedAnswer<T>(
  { url }: { url: string },
  signal?: AbortSignal,
): Promise<T | undefined> {
  const { origin, href } = new URL(url, location.href);
  return origin === location.origin ? get<T>(href, signal) : undefined;
}
