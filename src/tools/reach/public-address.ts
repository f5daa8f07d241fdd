import ipaddr from 'ipaddr.js';

/** All that is handed out to be reached from anywhere (IANA, "IPv6 Global Unicast"). */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Public by its number, and yet answered by the machine that a virtual one runs on (Azure, "What is 168.63.129.16").
 */
const HOST_OF_AZURE = '168.63.129.16';

/**
 * Whether an address is one of the public internet: not of this machine, of a network of its own, or one at which
 * clouds hand out credentials.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // An IPv4 address in IPv6's clothes is what it wraps.
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || parsed.toString() === HOST_OF_AZURE) return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_IPV6);
}

/** @param ranges such as `127.0.0.0/8` */
export function isInRanges(address: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some((range) => {
    const [start, bits] = ipaddr.parseCIDR(range);
    return start.kind() === parsed.kind() && parsed.match(start, bits);
  });
}
