import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asError, messageOf } from '../../errors.ts';
import { StatesApiError } from '../executions/errors.ts';
import type { StateMachines } from '../state-machines.ts';
import { hostsOf, refusalOf } from '../../http-origin.ts';
import { answer } from './operations.ts';

/** More than the greatest request, a definition of 1 MB, can take. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** A server that speaks the JSON API of Step Functions. */
export interface StatesServer {
  /** Such as `http://127.0.0.1:8083`. */
  url: string;
  /** Stops listening and drops the connections; executions go on. */
  close(): Promise<void>;
}

/**
 * Serves state machines over HTTP, as the AWS SDK and CLI expect it: POST with
 * `X-Amz-Target: AWSStepFunctions.<operation>` and a JSON body. Requests need not be signed, so it belongs on a loopback
 * address, and those that a web page sent or that name another host are refused.
 */
export async function listen(
  machines: StateMachines,
  { port, host = '127.0.0.1' }: { port: number; host?: string },
): Promise<StatesServer> {
  let hosts: string[] = [];
  const server = createServer((request, response) => {
    respond(machines, hosts, request, response).catch((error: unknown) => response.destroy(asError(error)));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const listening = isAddress(address) ? address.port : port;
  const name = host.includes(':') ? `[${host}]` : host;
  hosts = hostsOf(listening, [...new Set([name, '127.0.0.1', 'localhost'])]);
  return {
    url: `http://${name}:${listening}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  machines: StateMachines,
  hosts: string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const send = (status: number, body: unknown) => {
    response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(body));
  };
  try {
    const { host, origin, 'sec-fetch-site': site } = request.headers;
    const body = await readBody(request);
    const refusal = refusalOf({ host, origin, site: site?.toString() }, hosts);
    if (refusal !== undefined) {
      send(403, { __type: 'AccessDeniedException', message: refusal });
      return;
    }
    if (request.method !== 'POST') {
      throw new StatesApiError('UnknownOperationException', `expected POST but got ${request.method}`);
    }
    send(200, answer(machines, operationOf(request), body));
  } catch (error) {
    if (error instanceof StatesApiError) send(400, { __type: error.name, message: error.message });
    else send(500, { __type: 'InternalServerError', message: messageOf(error) });
  }
}

function operationOf({ headers }: IncomingMessage): string {
  const target = headers['x-amz-target'];
  const operation = /^AWSStepFunctions\.(\w+)$/.exec(String(target))?.[1];
  if (operation !== undefined) return operation;
  throw new StatesApiError(
    'UnknownOperationException',
    `the header X-Amz-Target does not name an operation of Step Functions: ${String(target)}`,
  );
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    length += chunk.length;
    // The rest is read and dropped, so that the client gets to read the answer.
    if (length <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (length > MAX_BODY_BYTES) {
    throw new StatesApiError('ValidationException', `the request takes more than ${MAX_BODY_BYTES} bytes`);
  }
  return Buffer.concat(chunks).toString();
}

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}
