import { randomUUID } from 'node:crypto';
import { Hono } from 'hono/tiny';
import type { AttendedPorts } from './attended-run.ts';
import { MCP_PATH, OPENAI_PATH } from './door-paths.ts';
import { Problem, toResponse } from './problem.ts';

/** Where clients of other protocols find agents. Each door is loaded with its first request. */
export function createDoors(ports: AttendedPorts): Hono {
  const doors = new Hono();
  doors.onError((thrown, c) => {
    if (thrown instanceof Problem) return toResponse(thrown);
    const id = randomUUID();
    ports.log({ id, method: c.req.method, path: c.req.path, thrown });
    return toResponse(new Problem(500, 'the request failed; the log has the details under this id'), { id });
  });
  doors.notFound((c) => toResponse(new Problem(404, `there is no ${c.req.path} here`)));
  let mcp: Promise<(request: Request) => Promise<Response>> | undefined;
  const loadMcp = async () => (await import('./mcp/http.ts')).createMcpOverHttp(ports);
  doors.all(MCP_PATH, async (c) => (await (mcp ??= loadMcp()))(c.req.raw));
  let openAi: Promise<Hono> | undefined;
  const loadOpenAi = async () => (await import('./openai/openai-api.ts')).createOpenAiApi(ports);
  doors.all(`${OPENAI_PATH}*`, async (c) => (await (openAi ??= loadOpenAi())).fetch(c.req.raw));
  return doors;
}
