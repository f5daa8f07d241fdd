import * as v from 'valibot';
import { Problem } from '../problem.ts';
import { check, oddKeys } from '../request.ts';

/** An error of JSON-RPC, as a server answers with it. */
interface Refusal {
  jsonrpc: '2.0';
  id: string | number | null;
  error: { code: -32700 | -32600 | -32602; message: string };
}

const MUST_BE_TEXT = 'must be a string';

const Params = v.looseObject(
  {
    protocolVersion: v.string(MUST_BE_TEXT),
    capabilities: v.looseObject({}, oddKeys),
    clientInfo: v.looseObject({ name: v.string(MUST_BE_TEXT), version: v.string(MUST_BE_TEXT) }, oddKeys),
  },
  oddKeys,
);

const jsonrpc = v.literal('2.0');

/** A request or a note, or an answer. The package leaves all else without an answer, lists of messages among it. */
const Message = v.union([
  v.looseObject({ jsonrpc, method: v.string() }),
  v.looseObject({ jsonrpc, result: v.looseObject({}) }),
  v.looseObject({ jsonrpc, error: v.looseObject({}) }),
]);

const Identified = v.object({ id: v.union([v.string(), v.number()]) });

const Initialize = v.object({ ...Identified.entries, method: v.literal('initialize') });

/** The answer to a request to connect whose parameters are wrong, which the package calls a fault of the server. */
export function refusedInitialize(message: unknown): Refusal | undefined {
  if (!v.is(Initialize, message)) return undefined;
  try {
    check(v.object({ params: Params }, oddKeys), message);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Problem)) throw thrown;
    return refusal(message.id, -32602, thrown.message);
  }
}

/** The answer to a line of stdin that the package leaves without one, or answers in another way. */
export function refusedLine(line: string): Refusal | undefined {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return refusal(null, -32700, 'the line is not JSON');
  }
  if (v.is(Message, message)) return refusedInitialize(message);
  const id = v.is(Identified, message) ? message.id : null;
  return refusal(id, -32600, 'the line is no message of JSON-RPC 2.0');
}

/** The answer to a line that nobody has kept. */
export function tooLong(mostBytes: number): Refusal {
  return refusal(null, -32600, `the line is longer than ${mostBytes} bytes`);
}

function refusal(id: Refusal['id'], code: Refusal['error']['code'], message: string): Refusal {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
