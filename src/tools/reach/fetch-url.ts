import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { messageOf } from '../../errors.ts';
import type { Fetched, FetchOptions, FetchUrl } from '../../core/tool-contracts/tool.ts';
import { assertPublic, publicLookup, RefusedFetch, type PublicOptions } from './public-lookup.ts';

export interface FetchUrlOptions extends PublicOptions {
  /** Milliseconds for a page with all that leads to it. */
  timeoutMs?: number;
  maxBytes?: number;
}

const MAX_REDIRECTS = 5;
const MAX_BYTES = 5 * 2 ** 20;
const TIMEOUT_MS = 30_000;

/**
 * Fetches texts over HTTP. A request goes only to a host that is allowed, and only to a public address: the address
 * that was checked is the one that is connected to, so that a name cannot lead elsewhere the second time that it is
 * asked for. Redirects are followed one by one, each checked like the first address. No proxy is used, since a proxy
 * resolves names itself.
 */
export function createFetchUrl(options: FetchUrlOptions = {}): FetchUrl {
  const { timeoutMs = TIMEOUT_MS } = options;
  return async (url, fetching) => {
    const { signal } = fetching;
    const stop = new AbortController();
    const abort = () => stop.abort();
    const timer = setTimeout(abort, timeoutMs);
    signal.addEventListener('abort', abort, { once: true });
    try {
      signal.throwIfAborted();
      return await follow(url, { ...fetching, signal: stop.signal }, options);
    } catch (thrown) {
      signal.throwIfAborted();
      if (stop.signal.aborted) return { refused: `${url} took longer than ${timeoutMs / 1000}s` };
      if (thrown instanceof RefusedFetch) return { refused: thrown.message };
      return { refused: `${url} could not be fetched: ${reasonOf(thrown)}` };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  };
}

async function follow(first: string, fetching: FetchOptions, options: FetchUrlOptions): Promise<Fetched> {
  let url = parse(first);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    check(url, fetching.allowedHosts, options);
    const response = await request(url, fetching.signal, options);
    try {
      const { statusCode = 0, statusMessage = '', headers } = response;
      if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
        url = parse(headers.location, url);
        const refusal = fetching.refusalToFollow(url.href);
        if (refusal !== undefined) throw new RefusedFetch(`${first} leads to ${url.href}: ${refusal}`);
        continue;
      }
      if (statusCode < 200 || statusCode >= 300) {
        throw new RefusedFetch(`${url.href} answered ${statusCode} ${statusMessage}`.trimEnd());
      }
      return { text: await textOf(response, url, options), url: url.href };
    } finally {
      response.destroy();
    }
  }
  throw new RefusedFetch(`${first} leads on more than ${MAX_REDIRECTS} times`);
}

function parse(written: string, base?: URL): URL {
  try {
    return new URL(written, base);
  } catch {
    throw new RefusedFetch(
      `${JSON.stringify(written)} is not a URL: write, for instance, https://docs.example.com/page`,
    );
  }
}

function check(url: URL, allowedHosts: readonly string[], options: FetchUrlOptions): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new RefusedFetch(`only http and https are fetched, not ${url.protocol.slice(0, -1)}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new RefusedFetch('a URL with a user name or a password in it is not fetched');
  }
  const host = url.hostname.replace(/\.$/, '');
  if (!allowedHosts.some((pattern) => matchesHost(pattern.toLowerCase(), host))) {
    const known = allowedHosts.length === 0 ? 'the agent has none' : `allowed: ${allowedHosts.join(', ')}`;
    throw new RefusedFetch(`host "${host}" is not in allowed_hosts (${known})`);
  }
  assertPublic(url, options);
}

/** `*.example.com` stands for all hosts below it, and not for itself. */
function matchesHost(pattern: string, host: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}

async function request(url: URL, signal: AbortSignal, options: FetchUrlOptions): Promise<IncomingMessage> {
  const { request: send } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'));
  return new Promise((resolveWith, reject) => {
    const sent = send(url, {
      signal,
      lookup: publicLookup(options),
      // A connection of its own: one that is kept open was checked for another call.
      agent: false,
      headers: {
        accept: 'text/html, text/*;q=0.9, application/json;q=0.9, application/xml;q=0.8, */*;q=0.1',
        'accept-encoding': 'gzip, deflate, br',
        'user-agent': 'cadre',
      },
    });
    sent.on('response', resolveWith).on('error', reject).end();
  });
}

async function textOf(response: IncomingMessage, url: URL, options: FetchUrlOptions): Promise<string> {
  const { type, charset } = contentType(response.headers['content-type'] ?? 'text/plain');
  if (!/^(text\/.*|application\/(.*\+)?(json|xml)|application\/(javascript|yaml|x-ndjson))$/.test(type)) {
    throw new RefusedFetch(`${url.href} is ${type}: only texts, JSON, XML and HTML are fetched`);
  }
  const { maxBytes = MAX_BYTES } = options;
  const bytes = await readUpTo(maxBytes, await decoded(response), url);
  const text = decode(bytes, charset);
  if (!type.includes('html')) return text;
  const { htmlToText } = await import('./html-text.ts');
  const shown = await htmlToText(text, url.href);
  if (shown === undefined) throw new RefusedFetch(`${url.href} has too many elements to be read as a page`);
  return shown;
}

function contentType(header: string): { type: string; charset: string } {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  return { type, charset: charset?.replace(/^"(.*)"$/, '$1') ?? 'utf-8' };
}

function decode(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // A name that is none.
    return new TextDecoder().decode(bytes);
  }
}

/** The body, without the compression that it was sent with. */
async function decoded(response: IncomingMessage): Promise<Readable> {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity') return response;
  const { createBrotliDecompress, createUnzip } = await import('node:zlib');
  if (!['gzip', 'x-gzip', 'deflate', 'br'].includes(encoding)) {
    throw new RefusedFetch(`the answer is encoded in ${encoding}, which is not known here`);
  }
  const unpacked = encoding === 'br' ? createBrotliDecompress() : createUnzip();
  response.on('error', (error) => unpacked.destroy(error));
  return response.pipe(unpacked);
}

async function readUpTo(most: number, stream: Readable, url: URL): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const parts: AsyncIterable<Uint8Array> = stream;
  for await (const part of parts) {
    size += part.length;
    if (size > most) throw new RefusedFetch(`${url.href} is larger than ${Math.floor(most / 2 ** 20)} MB`);
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}

/** A name that stands for several addresses fails at each of them. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof AggregateError) return thrown.errors.map(messageOf).join(', ');
  return messageOf(thrown);
}
