/** Schemes of links that a person may follow; all others could run or read something. */
const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

export interface SafeAddress {
  href: string;
  /** The place that it leads to: letters that look like others are spelt out (Punycode). */
  place: string;
}

/** @returns undefined for an address that is relative, cannot be read, or is no address of the web or of mail */
export function safeAddress(written: string): SafeAddress | undefined {
  if (!URL.canParse(written)) return undefined;
  const { protocol, href, host, pathname } = new URL(written);
  if (!SCHEMES.has(protocol)) return undefined;
  return { href, place: protocol === 'mailto:' ? pathname : host };
}
