import { ProtocolError, type ServerContext } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import type { ApiContext } from '../context.ts';
import { faultOf } from '../fault.ts';
import { Problem } from '../problem.ts';

/**
 * What a client may read of an error: the package would hand it the text of any other. The log has that.
 * @throws {ProtocolError} if it is one, which is for clients
 */
export function toProblem(
  thrown: unknown,
  { http }: Pick<ServerContext, 'http'>,
  { log }: Pick<ApiContext, 'log'>,
): Problem {
  if (thrown instanceof ProtocolError) throw thrown;
  if (thrown instanceof Problem) return thrown;
  const id = randomUUID();
  const where = http === undefined ? { method: 'stdio', path: 'mcp' } : { method: 'POST', path: '/mcp' };
  log({ id, ...where, thrown });
  return faultOf(thrown, id);
}
