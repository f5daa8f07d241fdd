import {
  InsufficientScopeError,
  isJSONRPCRequest,
  StreamableHTTPClientTransport,
  type JSONRPCMessage,
} from '@modelcontextprotocol/client';
import { createPatientFetch } from '../../../patient-fetch.ts';
import { bounded } from '../../reach/bounded-answer.ts';
import type { TokenProvider } from './authorization.ts';

/**
 * Streamable HTTP. A redirect is followed only within the server's own origin, so that headers go nowhere else.
 *
 * An answer that ends before it is complete is replaced by an error for the client, which would wait for the rest
 * until the call's time is over.
 */
export class HttpTransport extends StreamableHTTPClientTransport {
  readonly #tokens: TokenProvider | undefined;

  constructor(url: string, headers: Record<string, string>, authProvider?: TokenProvider) {
    super(new URL(url), {
      requestInit: { headers },
      fetch: boundedFetch,
      ...(authProvider !== undefined && { authProvider }),
      redirectPolicy: 'same-origin',
      // Picks up the answer to a call, where the server says how, in well under the time that it has.
      reconnectionOptions: {
        initialReconnectionDelay: 200,
        maxReconnectionDelay: 1_000,
        reconnectionDelayGrowFactor: 2,
        maxRetries: 3,
      },
    });
    this.#tokens = authProvider;
  }

  override async send(
    ...[message, options]: Parameters<StreamableHTTPClientTransport['send']>
  ): Promise<void> {
    try {
      await super.send(message, {
        ...options,
        onRequestStreamEnd: () => {
          options?.onRequestStreamEnd?.();
          // Once the request has been answered, its sender no longer listens.
          if (isJSONRPCRequest(message)) this.onmessage?.(brokenOff(message.id));
        },
      });
    } catch (thrown) {
      if (!(thrown instanceof InsufficientScopeError) || this.#tokens === undefined) throw thrown;
      throw await this.#tokens.lacks(thrown.requiredScope);
    }
  }
}

/** An answer in JSON-RPC's own form, with a code that servers cannot mean anything else by. */
export const BROKEN_OFF = -32_099;

function brokenOff(id: string | number): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: BROKEN_OFF, message: 'the answer broke off' } };
}

/** A warm function of Lambda is stopped between two calls, and its connections are gone when it goes on. */
const patientFetch = createPatientFetch(0, { keepsConnections: false });

/** For the server, and for what gives tokens for it. */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  // A stream on which the server may tell us things unasked, which we have no use for; it need not offer one.
  const isUnasked = init?.method === 'GET' && !new Headers(init.headers).has('last-event-id');
  if (isUnasked) return new Response(undefined, { status: 405 });
  const response = await patientFetch(url, init);
  return bounded(response);
}
