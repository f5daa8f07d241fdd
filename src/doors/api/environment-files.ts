import type { Context } from 'hono';
import * as v from 'valibot';
import { hashOf } from '../../core/attachments/to-attachment.ts';
import { asError, messageOf } from '../../errors.ts';
import { fileHeaders } from './attachments.ts';
import { Problem } from './problem.ts';

/**
 * Images and documents of a deployed environment for the page of this machine. They lie in a bucket, at addresses that
 * the page may not fetch, so they pass through here.
 */
export interface EnvironmentFiles {
  /** Has a file put here instead of where the environment says. */
  place(c: Context): Promise<Response>;
  /** Puts it there. @throws {Problem} */
  put(c: Context, hash: string): Promise<Response>;
  /** Reads one, from the bucket where that is where the environment sends readers. */
  read(c: Context): Promise<Response>;
}

const Place = v.object({
  hash: v.string(),
  url: v.pipe(v.string(), v.url()),
  headers: v.record(v.string(), v.string()),
});
type Place = v.InferOutput<typeof Place>;

/** More are left by nobody who goes on to put them. */
const MOST_PLACES = 1_000;

/** @param forward sends a request on to the environment */
export function createEnvironmentFiles(forward: (c: Context) => Promise<Response>): EnvironmentFiles {
  const places = new Map<string, Place>();
  return {
    async place(c) {
      const response = await forward(c);
      if (response.status !== 201) return response;
      const place = v.parse(Place, await response.json());
      const { hash } = place;
      const [oldest] = places.keys();
      if (oldest !== undefined && places.size >= MOST_PLACES) places.delete(oldest);
      places.set(hash, place);
      return c.json({ hash, url: new URL(`/attachments/${hash}`, c.req.url).href, headers: {} }, 201);
    },

    async put(c, hash) {
      const place = places.get(hash);
      if (place === undefined) throw new Problem(404, 'POST /attachments first, with the hash of the file');
      const body = new Uint8Array(await c.req.arrayBuffer());
      if (hashOf(body) !== hash) throw new Problem(400, `the body is not the file with the SHA-256 ${hash}`);
      const { url, headers } = place;
      const { signal } = c.req.raw;
      const { ok, status } = await ask(url, { method: 'PUT', headers, body, signal });
      // The same bytes are there already.
      if (!ok && status !== 412)
        throw new Problem(502, `the bucket did not take the file: it answered ${status}`);
      places.delete(hash);
      return c.body(null, 204);
    },

    async read(c) {
      const response = await forward(c);
      const url = response.status === 302 ? response.headers.get('location') : null;
      if (url === null) return response;
      const file = await ask(url, { signal: c.req.raw.signal });
      if (!file.ok) throw new Problem(502, `the bucket did not give the file: it answered ${file.status}`);
      return new Response(file.body, { headers: fileHeaders(file.headers.get('content-type') ?? '') });
    },
  };
}

/** @throws {Problem} 502 without an answer */
async function ask(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: 'error' });
  } catch (thrown) {
    // "fetch failed" says nothing.
    throw new Problem(502, `the bucket cannot be reached: ${messageOf(asError(thrown).cause ?? thrown)}`);
  }
}
