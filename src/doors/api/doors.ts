import { Hono } from 'hono/tiny';
import type { ApiContext } from './context.ts';
import { A2A_PATH, CARD_PATH, MCP_PATH, OPENAI_PATH } from './door-paths.ts';
import { answerFault } from './fault.ts';
import { limitBodyWithFiles } from './limit-body.ts';
import { noSniffing } from './no-sniffing.ts';
import { nothingAt, Problem, toResponse } from './problem.ts';
import { patternOf, ROUTES } from './routes.ts';
import { parseQuery } from './request.ts';
import { NoQuery } from './request-parameters.ts';
import { forCaller } from './subject.ts';

/** Where clients of other protocols find agents. Each door is loaded with its first request. */
export function createDoors(context: ApiContext): Hono {
  const doors = new Hono();
  doors.onError((thrown, c) => {
    return thrown instanceof Problem ? toResponse(thrown) : answerFault(thrown, c, context);
  });
  doors.use(noSniffing);
  doors.notFound((c) => toResponse(nothingAt(c.req.path)));
  let mcp: Promise<(request: Request, context: ApiContext) => Promise<Response>> | undefined;
  const loadMcp = async () => (await import('./mcp/http.ts')).createMcpOverHttp(context);
  doors.all(MCP_PATH, async (c) => (await (mcp ??= loadMcp()))(c.req.raw, forCaller(c, context)));
  let openAi: Promise<Hono> | undefined;
  const loadOpenAi = async () => (await import('./openai/openai-api.ts')).createOpenAiApi(context);
  doors.all(`${OPENAI_PATH}*`, async (c) => (await (openAi ??= loadOpenAi())).fetch(c.req.raw, c.env));
  let a2a: Promise<Hono> | undefined;
  const loadA2a = async () => (await import('./a2a/a2a.ts')).createA2a(context);
  for (const path of [CARD_PATH, `${A2A_PATH}/*`]) {
    doors.all(path, async (c) => (await (a2a ??= loadA2a())).fetch(c.req.raw, c.env));
  }
  doors.post(patternOf(ROUTES.runAgUi), limitBodyWithFiles('"data"'), async (c) => {
    parseQuery(c, NoQuery);
    const { answerRun } = await import('./ag-ui/answer-run.ts');
    return answerRun(c, c.req.param('name') ?? '', forCaller(c, context));
  });
  return doors;
}
