import { SFNClient } from '@aws-sdk/client-sfn';
import { SignatureV4 } from '@smithy/signature-v4';
import { askAws } from './aws-errors.ts';
import { CLIENT_LIMITS } from './client-limits.ts';

/**
 * Sends requests that are signed with the caller's own credentials, and so have the caller's permissions.
 * @param service the name in signatures: `execute-api` for API Gateway, `lambda` for function URLs
 * @returns throws {StoreError | StoreUnavailableError} without credentials or an answer
 */
export function createSendSigned(
  service: 'execute-api' | 'lambda' | 'monitoring' | 'servicequotas' | 'xray',
  region: string,
): (request: Request) => Promise<Response> {
  const { credentials, sha256 } = new SFNClient({ region, ...CLIENT_LIMITS }).config;
  const signer = new SignatureV4({ service, region, credentials, sha256 });
  return async (request) => {
    const { method, signal } = request;
    const url = new URL(request.url);
    const { origin, protocol, hostname, host, pathname, searchParams } = url;
    const bytes = new Uint8Array(await request.arrayBuffer());
    const body = bytes.length > 0 ? { body: bytes } : {};
    return askAws(`ask ${origin}`, async () => {
      const { headers } = await signer.sign({
        method,
        protocol,
        hostname,
        path: pathname,
        // A name that comes several times has a list.
        query: Object.fromEntries([...searchParams.keys()].map((name) => [name, searchParams.getAll(name)])),
        headers: { ...Object.fromEntries(request.headers), host },
        ...body,
      });
      return fetch(url, { method, headers, redirect: 'manual', signal, ...body }).catch(throwCause);
    });
  };
}

/** "fetch failed" says nothing. */
function throwCause(thrown: unknown): never {
  throw thrown instanceof TypeError && thrown.cause instanceof Error ? thrown.cause : thrown;
}
