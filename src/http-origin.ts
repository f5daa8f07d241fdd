/** The headers by which a request tells where it comes from; null or undefined where it has none. */
export interface OriginHeaders {
  host: string | null | undefined;
  origin: string | null | undefined;
  /** `Sec-Fetch-Site`, which browsers set and pages cannot. */
  site: string | null | undefined;
}

/**
 * Why a server on loopback, which every program of this machine reaches, browsers among them, refuses a request:
 * - a page whose name was made to lead to 127.0.0.1 (DNS rebinding) sends that name as `Host`;
 * - a page of another site sends its `Origin`, or `Sec-Fetch-Site`.
 * @param hosts the allowed values of `Host`, such as `127.0.0.1:8083`
 * @returns undefined for a request to be served
 */
export function refusalOf({ host, origin, site }: OriginHeaders, hosts: string[]): string | undefined {
  if (!hosts.includes(host ?? '')) {
    return `requests must be sent to ${hosts.join(' or ')}, not to "${host ?? ''}"`;
  }
  const foreign =
    (origin ?? `http://${host}`) !== `http://${host}` || site === 'cross-site' || site === 'same-site';
  return foreign ? 'requests of pages from elsewhere are refused' : undefined;
}

/** The `Host` of requests to a server on loopback. HTTP leaves out port 80. */
export function hostsOf(port: number, names: readonly string[]): string[] {
  return names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
}
