import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { BlockList } from 'node:net';
import type { Context } from 'hono';
import { hostsOf, refusalOf } from '../../http-origin.ts';
import { ConfigError, messageOf } from '../../errors.ts';
import { Problem } from './problem.ts';

/** Where a server listens, and who may call it. */
export interface LocalAccess {
  /** The IP address to listen on. */
  address: string;
  /** The address as a URL has it: IPv6 in brackets. */
  host: string;
  /** The names that requests must give as `Host`; undefined where the token alone keeps others out. */
  names: string[] | undefined;
  /** The token that requests must carry; undefined where every process of this machine may call. */
  token: string | undefined;
  /** Whether the token was made here, so that the user does not know it yet. */
  isTokenNew: boolean;
}

/** Shorter ones can be guessed. */
const TOKEN = /^[\x21-\x7e]{16,}$/;

/**
 * Decides access to a server on this host: for every process of this machine where it listens on loopback, else for
 * holders of the token. A given token is required on loopback too.
 * @param host a name or an address of this machine; `0.0.0.0` or `::` for all of its addresses
 * @param token of the user's own choice, if there is one
 * @throws {ConfigError} if there is no such host, or the token is too short
 */
export async function accessTo(host: string, token: string | undefined): Promise<LocalAccess> {
  const given = token || undefined;
  if (given !== undefined && !TOKEN.test(given)) {
    throw new ConfigError('CADRE_TOKEN must have at least 16 characters, all of them printable ASCII');
  }
  const { address, family } = await addressOf(host);
  const urlHost = family === 6 ? `[${address}]` : address;
  const isLoopback = LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4');
  const isTokenNew = given === undefined && !isLoopback;
  return {
    address,
    host: urlHost,
    // Pages cannot know the token, and browsers never send it by themselves.
    names: isLoopback ? [...new Set([urlHost, 'localhost', ...(family === 6 ? [] : [host])])] : undefined,
    token: isTokenNew ? randomBytes(24).toString('base64url') : given,
    isTokenNew,
  };
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

async function addressOf(host: string) {
  try {
    if (host === '') throw new Error('it is empty');
    return await lookup(host);
  } catch (error) {
    throw new ConfigError(
      `cannot listen on host "${host}": ${messageOf(error)}; choose another with --host`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Keeps web pages away from a server on loopback. No answer permits other origins (CORS).
 * @throws {Problem} 403
 */
export function refuseForeignPages(c: Context, { names }: LocalAccess, port: number): void {
  if (names === undefined) return;
  const headers = {
    host: c.req.header('host'),
    origin: c.req.header('origin'),
    site: c.req.header('sec-fetch-site'),
  };
  const refusal = refusalOf(headers, hostsOf(port, names));
  if (refusal !== undefined) throw new Problem(403, refusal);
}

/** @throws {Problem} 401 */
export function requireToken(c: Context, { token }: LocalAccess): void {
  if (token === undefined) return;
  const [, given = ''] = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? [];
  if (!timingSafeEqual(digest(given), digest(token))) {
    throw new Problem(401, 'send the token of this server: Authorization: Bearer <token>');
  }
}

/** Of one length for any text. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
