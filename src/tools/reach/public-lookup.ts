import { lookup as resolve, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { messageOf } from '../../errors.ts';
import { isInRanges, isPublicAddress } from './public-address.ts';

export interface PublicOptions {
  /** Ranges of addresses that may be reached besides public ones: `127.0.0.0/8`. For tests. */
  ranges?: readonly string[];
  /** In place of the system's resolver. For tests. */
  resolve?: (host: string) => Promise<LookupAddress[]>;
}

/** Something that was asked for and is not done, in words for the model. */
export class RefusedFetch extends Error {
  override readonly name = 'RefusedFetch';
}

/** @throws {RefusedFetch} for a URL whose host is an address, and not a public one: no name is looked up for it */
export function assertPublic({ hostname }: URL, { ranges = [] }: PublicOptions = {}): void {
  const host = hostname.replace(/\.$/, '');
  const address = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0 && !mayReach(address, ranges)) throw privateAddress(host, address);
}

/** Hands on the very addresses that were checked, all of them public. */
export function publicLookup(options: PublicOptions = {}): LookupFunction {
  return (host, { all }, callback) => {
    addressesOf(host, options).then(
      ([first, ...others]) => {
        if (all) callback(null, [first, ...others]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(messageOf(error)), []),
    );
  };
}

async function addressesOf(
  host: string,
  { ranges = [], resolve: resolveName = resolveBySystem }: PublicOptions,
): Promise<[LookupAddress, ...LookupAddress[]]> {
  const [first, ...others] = await resolveName(host);
  if (first === undefined) throw new RefusedFetch(`host "${host}" has no address`);
  // One that is private among public ones is no mistake.
  const wrong = [first, ...others].find(({ address }) => !mayReach(address, ranges));
  if (wrong !== undefined) throw privateAddress(host, wrong.address);
  return [first, ...others];
}

function resolveBySystem(host: string): Promise<LookupAddress[]> {
  return new Promise((resolveWith, reject) => {
    resolve(host, { all: true }, (error, found) => (error === null ? resolveWith(found) : reject(error)));
  });
}

function mayReach(address: string, ranges: readonly string[]): boolean {
  return isPublicAddress(address) || isInRanges(address, ranges);
}

function privateAddress(host: string, address: string): RefusedFetch {
  const which = host === address || host === `[${address}]` ? '' : ` (${address})`;
  return new RefusedFetch(`host "${host}"${which} is not on the public internet`);
}
