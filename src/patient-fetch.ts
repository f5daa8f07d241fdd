import * as v from 'valibot';

/**
 * Node.js's own `fetch` gives up on an answer that shows nothing for 300 seconds, while a model may think for as long
 * as its run lasts. This one leaves all waiting to the signal that a request carries; only connecting still ends after
 * the transport's own 10 seconds.
 *
 * The time-outs are options of each request that is dispatched (undici, `DispatchOptions`), so the process's own
 * dispatcher stays in use, with its connections and with a proxy where one is configured.
 *
 * @param silenceMs how long an answer may show nothing, before its head or in its body; 0: for ever
 * @param keepsConnections whether a connection may serve further requests
 */
export function createPatientFetch(silenceMs = 0, { keepsConnections = true } = {}): typeof fetch {
  const dispatcher = {
    dispatch: (options: object, handler: object) =>
      globalDispatcher().dispatch(
        { ...options, headersTimeout: silenceMs, bodyTimeout: silenceMs, reset: !keepsConnections },
        handler,
      ),
  };
  return (input, init) => fetch(input, Object.assign({ dispatcher }, init));
}

interface Dispatcher {
  dispatch(options: object, handler: object): boolean;
}

const Dispatcher = v.custom<Dispatcher>(
  (value) => typeof value === 'object' && value !== null && 'dispatch' in value,
);

/** Where every copy of undici, Node.js's among them, keeps it; `fetch` puts it there before it dispatches. */
function globalDispatcher(): Dispatcher {
  return v.parse(Dispatcher, Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1')));
}
