import * as v from 'valibot';
import { isJsonObject, parseJson, type Json } from '../../../json.ts';

/** The JSON-RPC part of a request, whatever its method (JSON-RPC 2.0, sections 4 and 5.1). */
export interface Frame {
  id: string | number | null;
  params?: Json | undefined;
  /** Why it is none; the package would call that wrong parameters. Absent: it is one. */
  fault?: { code: -32700 | -32600; message: string };
}

const NOTHING: Record<string, Json> = {};

const Request = v.object({ jsonrpc: v.literal('2.0'), method: v.string() });

export function readFrame(body: string): Frame {
  let request: Json;
  try {
    request = parseJson(body);
  } catch {
    return { id: null, fault: { code: -32700, message: 'the body is not JSON' } };
  }
  const { id: given, params } = isJsonObject(request) ? request : NOTHING;
  const id = typeof given === 'string' || typeof given === 'number' ? given : null;
  if (v.is(Request, request)) return { id, params };
  return { id, fault: { code: -32600, message: 'the body is no request of JSON-RPC 2.0' } };
}
