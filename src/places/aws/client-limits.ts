/** Options of an AWS SDK client's configuration, in the form of the SDK's own request handler. */
interface ClientLimits {
  requestHandler: {
    connectionTimeout: number;
    requestTimeout?: number;
    socketTimeout?: number;
    throwOnRequestTimeout?: boolean;
    httpAgent?: { maxSockets: number };
    httpsAgent?: { maxSockets: number };
  };
}

/** A connection within a Region takes milliseconds; a failed attempt is repeated. */
const CONNECT_MS = 1_000;

/**
 * How long a service may leave a request without an answer. By default the SDK waits for ever, so that one dead
 * connection would hold a function until its state has no time left. The SDK repeats such a request.
 */
const SILENCE_MS = 5_000;

/**
 * Requests at a time of what has hundreds to make: a client has 50 connections, and the SDK counts the wait for one of
 * them as time to connect.
 */
export const AT_A_TIME = 40;

/** The limits of every client but those below. */
export const CLIENT_LIMITS: ClientLimits = {
  requestHandler: {
    connectionTimeout: CONNECT_MS,
    requestTimeout: SILENCE_MS,
    socketTimeout: SILENCE_MS,
    // Without it, the SDK only warns.
    throwOnRequestTimeout: true,
  },
};

/** The longest for sending a file and hearing that it is there. */
const TRANSFER_MS = 60_000;

/** For clients that move files: large files take longer, so only silence counts. */
export const TRANSFER_LIMITS: ClientLimits = {
  requestHandler: { ...CLIENT_LIMITS.requestHandler, requestTimeout: TRANSFER_MS },
};

/** For clients that wait for the results of functions: the caller says how long that may take, and for how many at once. */
export const INVOCATION_LIMITS: ClientLimits = {
  requestHandler: {
    connectionTimeout: CONNECT_MS,
    httpAgent: { maxSockets: Infinity },
    httpsAgent: { maxSockets: Infinity },
  },
};
