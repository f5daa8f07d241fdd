import type { Context } from 'hono';
import { newRunId } from '../../core/records/run-id.ts';
import { isTraceparent } from '../../core/telemetry/trace-context.ts';
import type { Run } from '../../core/records/run.ts';
import { findAgent } from './agents.ts';
import type { ApiContext } from './context.ts';
import { parseBody, parseHeaders } from './request.ts';
import { StartRun } from './request-bodies.ts';
import { StartHeaders } from './request-parameters.ts';
import { startRun } from './start.ts';
import { toRequest } from './to-request.ts';

/** Starts the run that a request asks for. */
export async function startAgent(c: Context, name: string, context: ApiContext): Promise<Run> {
  const { 'idempotency-key': key, traceparent = '' } = parseHeaders(c, StartHeaders);
  const body = await parseBody(c, StartRun);
  const agent = await findAgent(name, context.source);
  const request = {
    ...toRequest(name, body, agent, context.models),
    ...(isTraceparent(traceparent) && { traceparent }),
  };
  const id = newRunId(name, context.now());
  const { attachments: hashes = [] } = body;
  if (hashes.length === 0) return startRun({ id, request, once: key }, context);
  const { namedFiles } = await import('./attachments.ts');
  const files = await namedFiles(hashes, context);
  const attachments = files.map(({ attachment }) => attachment);
  return startRun({ id, request: { ...request, attachments }, files, once: key }, context);
}
