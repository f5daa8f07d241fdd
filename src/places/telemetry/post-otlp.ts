import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { StoreError, messageOf } from '../../errors.ts';

const TIMEOUT_MS = 10_000;

/** Where a request of OTLP goes, and how. */
export interface OtlpEndpoint {
  /** Of a collector, without the path of a signal. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  /** Signs it; absent: nobody does. */
  send?: ((request: Request) => Promise<Response>) | undefined;
}

/**
 * Sends what was serialised in one request, which whoever calls repeats: a function has no time to wait for better days.
 * @returns the status of the answer
 * @throws {StoreError} if there is none
 */
export async function postOtlp(
  what: 'metrics' | 'traces',
  bytes: Uint8Array | undefined,
  { endpoint, headers, send = fetch }: OtlpEndpoint,
): Promise<number> {
  const request = new Request(`${endpoint.replace(/\/+$/, '')}/v1/${what}`, {
    method: 'POST',
    body: new Uint8Array(await promisify(gzip)(bytes ?? new Uint8Array())),
    headers: { ...headers, 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const named = what === 'traces' ? 'spans' : what;
  const response = await send(request).catch((thrown: unknown) => {
    throw new StoreError(`the ${named} could not be sent: ${messageOf(thrown)}`, { cause: thrown });
  });
  return response.status;
}
