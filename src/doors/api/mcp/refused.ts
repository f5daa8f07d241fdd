import * as v from 'valibot';
import { Problem } from '../problem.ts';
import { check, oddKeys } from '../request.ts';

/** An error of JSON-RPC, as a server answers with it. */
interface Refusal {
  jsonrpc: '2.0';
  id: string | number | null;
  error: { code: -32700 | -32602; message: string };
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

const Initialize = v.object({ method: v.literal('initialize'), id: v.union([v.string(), v.number()]) });

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
  return refusedInitialize(message);
}

function refusal(id: Refusal['id'], code: Refusal['error']['code'], message: string): Refusal {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
