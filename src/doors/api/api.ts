import type { Context } from 'hono';
import { Hono } from 'hono/tiny';
import type * as v from 'valibot';
import type { Run } from '../../core/records/run.ts';
import { isToGoOn } from '../../places/until-rested.ts';
import { answerFault } from './fault.ts';
import { limitBody } from './limit-body.ts';
import { noSniffing } from './no-sniffing.ts';
import { answer, answerUnderWay } from './json-answer.ts';
import { assertOwnRoute } from './own-route.ts';
import type { AgentsContext, ApiContext } from './context.ts';
import { nothingAt, Problem, toResponse } from './problem.ts';
import { parseQuery } from './request.ts';
import { patternOf, ROUTES, type Route } from './routes.ts';
import { findRun, toResource, untilEnded } from './run-resources.ts';
import { NoQuery, WaitQuery } from './request-parameters.ts';
import { forCaller } from './subject.ts';

/**
 * The HTTP API: agents, and runs of them. The same application answers in an account, where `hono/aws-lambda` hands it
 * the events of API Gateway, and behind `cadre serve`. Access is decided before a request comes here.
 *
 * Every answer is JSON; errors are problems (RFC 9457), which never hold an internal text. The routes are those of
 * `ROUTES`.
 */
export function createApi(shared: AgentsContext): Hono {
  const api = new Hono();

  api.onError((thrown, c) => {
    if (thrown instanceof Problem) return toResponse(thrown);
    // The client has gone, and the consequences of a cancelled request are no fault.
    if (c.req.raw.signal.aborted) return toResponse(new Problem(400, 'the client closed the request'));
    return answerFault(thrown, c, shared);
  });
  api.notFound((c) => toResponse(nothingAt(c.req.path)));
  api.use(noSniffing, limitBody());

  const allowed = new Map<string, string[]>();
  const serve = (route: Route, handle: Handler) => serveQuery(route, NoQuery, handle);
  const serveQuery = <Query>(
    route: Route,
    schema: v.GenericSchema<unknown, Query>,
    handle: Handler<Query>,
  ) => {
    serveAll(route, (c, context) => handle(c, context, parseQuery(c, schema)));
  };
  /** Leaves the query to the handler. */
  const serveAll = (
    route: Route,
    handle: (c: Context, context: AgentsContext) => Promise<Response> | Response,
  ) => {
    const pattern = patternOf(route);
    api.on(route.method, pattern, (c) => handle(c, forCaller(c, shared)));
    allowed.set(pattern, [...(allowed.get(pattern) ?? []), route.method.toUpperCase()]);
  };
  const find = (c: Context, context: AgentsContext) => findRun(parameter(c, 'id'), context);
  // Few requests change a run that is there, or look into it.
  const loadSteering = () => import('./steer-run.ts');
  const loadAgents = () => import('./agent-resources.ts');
  const loadDetails = () => import('./run-details.ts');
  // The queries of lists are large.
  const loadLists = () => import('./list-runs.ts');

  serve(ROUTES.listAgents, async (c, context) =>
    answer(c, 200, await (await loadAgents()).listAgents(context)),
  );
  serve(ROUTES.getAgent, async (c, context) => {
    const { agentDetails } = await loadAgents();
    return answer(c, 200, await agentDetails(parameter(c, 'name'), linking(c, context)));
  });
  serveQuery(ROUTES.startRun, WaitQuery, (c, context, { wait }) => start(c, wait, context));
  serve(ROUTES.runAgUi, async (c, context) => {
    const { answerRun } = await import('./ag-ui/answer-run.ts');
    return answerRun(c, parameter(c, 'name'), context);
  });
  serveAll(ROUTES.listRuns, async (c, context) => (await loadLists()).answerRuns(c, context));
  serveAll(ROUTES.getCosts, async (c, context) => (await loadLists()).answerCosts(c, context));
  serve(ROUTES.getRun, async (c, context) =>
    answer(c, 200, await toResource(await find(c, context), context)),
  );
  serve(ROUTES.getTree, async (c, context) => {
    const { toTree } = await loadDetails();
    return answer(c, 200, await toTree(await find(c, context), linking(c, context)));
  });
  serveAll(ROUTES.getMessages, async (c, context) => {
    const { parsePart, toMessages } = await loadDetails();
    const part = parsePart(c);
    return answer(c, 200, await toMessages(await find(c, context), part, linking(c, context)));
  });
  serve(ROUTES.getChanges, async (c, context) => {
    const run = await find(c, context);
    return answer(c, 200, await (await loadAgents()).runChanges(run, linking(c, context)));
  });
  serveQuery(ROUTES.getResult, WaitQuery, async (c, context, { wait }) => {
    return answerResult(c, await find(c, context), wait, context);
  });
  // Few requests need all that events are made from.
  const streams = [
    [ROUTES.getTreeEvents, () => import('./tree-events.ts')],
    [ROUTES.getWritingEvents, () => import('./writing-events.ts')],
    [ROUTES.getEvents, () => import('./run-events.ts')],
  ] as const;
  for (const [route, load] of streams) {
    serve(route, async (c, context) => (await load()).answerEvents(c, await find(c, context), context));
  }
  serve(ROUTES.stopRun, async (c, context) =>
    (await loadSteering()).stop(c, await find(c, context), context),
  );
  serve(ROUTES.killRun, async (c, context) =>
    (await loadSteering()).kill(c, await find(c, context), context),
  );
  serve(ROUTES.addBudget, async (c, context) => {
    assertOwnRoute(c, ROUTES.addBudget);
    return (await loadSteering()).addBudget(c, await find(c, context), context);
  });
  serve(ROUTES.forkRun, async (c, context) =>
    (await loadSteering()).fork(c, await find(c, context), context),
  );
  serve(ROUTES.resumeRun, async (c, context) =>
    (await loadSteering()).resume(c, await find(c, context), context),
  );
  serve(ROUTES.sendMessage, async (c, context) =>
    (await loadSteering()).send(c, await find(c, context), context),
  );
  serve(ROUTES.listQuestions, async (c, context) => {
    const { listQuestions } = await import('./questions.ts');
    return answer(c, 200, { questions: await listQuestions(context) });
  });
  serve(ROUTES.getQuestion, async (c, context) => {
    const run = await find(c, context);
    const { readQuestion } = await import('./questions.ts');
    return answer(c, 200, await readQuestion(run, parameter(c, 'question'), context));
  });
  serve(ROUTES.answerQuestion, async (c, context) => {
    assertOwnRoute(c, ROUTES.answerQuestion);
    const run = await find(c, context);
    const { answerQuestion } = await import('./questions.ts');
    return answer(c, 200, await answerQuestion(c, run, parameter(c, 'question'), context));
  });
  serve(ROUTES.getHealth, async (c) => {
    const { version } = (await openApi()).info;
    return answer(c, 200, { ok: true, version });
  });
  serve(ROUTES.getOpenApi, async (c) => answer(c, 200, await openApi()));

  for (const [pattern, methods] of allowed) {
    api.all(pattern, (c) =>
      toResponse(new Problem(405, `${c.req.path} does not take ${c.req.method}`), {
        headers: { allow: methods.join(', ') },
      }),
    );
  }
  return api;
}

/** Loaded where it is wanted: it is as large as all routes together. */
async function openApi() {
  return (await import('../../../schemas/openapi.json', { with: { type: 'json' } })).default;
}

type Handler<Query = object> = (
  c: Context,
  context: AgentsContext,
  query: Query,
) => Promise<Response> | Response;

async function start(c: Context, wait: number, context: ApiContext): Promise<Response> {
  const { startAgent } = await import('./start-agent.ts');
  const run = await startAgent(c, parameter(c, 'name'), context);
  if (wait > 0) return answerResult(c, run, wait, context);
  return answerUnderWay(c, run, context);
}

/** The result if the run ends in time. */
async function answerResult(c: Context, run: Run, wait: number, context: ApiContext): Promise<Response> {
  const newest = await untilEnded(run, wait, c.req.raw.signal, context);
  if (await isToGoOn(newest, context.environment.records)) return answerUnderWay(c, newest, context);
  const { toResult } = await import('./run-result.ts');
  return answer(c, 200, await toResult(newest, linking(c, context)));
}

/** The context for one request: links are absolute, on the host that the client itself named. */
function linking<T extends ApiContext>(c: Context, context: T): T {
  const { environment } = context;
  return {
    ...context,
    environment: {
      ...environment,
      async publish(key, text) {
        const { url, expiresAt } = await environment.publish(key, text);
        return { url: new URL(url, c.req.url).href, expiresAt };
      },
    },
  };
}

function parameter(c: Context, name: string): string {
  return c.req.param(name) ?? '';
}
