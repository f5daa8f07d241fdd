import type { Context } from 'hono';
import type { Run } from '../../core/records/run.ts';
import type { ApiContext } from './context.ts';
import { toResource } from './run-resources.ts';

/** An answer in JSON that no cache keeps: the next one may differ. */
export function answer(c: Context, status: 200 | 201 | 202, body: object): Response {
  c.header('cache-control', 'no-store');
  return c.json(body, status);
}

/** The run as it is, and where to ask again. */
export async function answerUnderWay(c: Context, run: Run, context: ApiContext): Promise<Response> {
  c.header('location', `/runs/${run.id}`);
  return answer(c, 202, await toResource(run, context));
}
