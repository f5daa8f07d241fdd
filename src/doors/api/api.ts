import type { Context } from 'hono';
import type { Hono } from 'hono/tiny';
import type { Run } from '../../core/records/run.ts';
import { isToGoOn } from '../../places/until-rested.ts';
import { answer, answerUnderWay } from './json-answer.ts';
import { assertOwnRoute } from './own-route.ts';
import type { AgentsContext, ApiContext } from './context.ts';
import { ROUTES } from './routes.ts';
import { findRun, toResource, untilEnded } from './run-resources.ts';
import { WaitQuery } from './request-parameters.ts';
import { ServedRoutes } from './served-routes.ts';
import { serveEvents } from './watch-api.ts';

/**
 * The HTTP API: agents, and runs of them. The same application answers in an account, where `hono/aws-lambda` hands it
 * the events of API Gateway, and behind `cadre serve`. Every answer is JSON, or a stream of events.
 */
export function createApi(shared: AgentsContext): Hono {
  const routes = new ServedRoutes(shared);
  const find = (c: Context, context: AgentsContext) => findRun(parameter(c, 'id'), context);
  // Few requests change a run that is there, or look into it.
  const loadSteering = () => import('./steer-run.ts');
  const loadAgents = () => import('./agent-resources.ts');
  const loadDetails = () => import('./run-details.ts');
  // The queries of lists are large.
  const loadLists = () => import('./list-runs.ts');

  routes.serve(ROUTES.listAgents, async (c, context) =>
    answer(c, 200, await (await loadAgents()).listAgents(context)),
  );
  routes.serve(ROUTES.getAgent, async (c, context) => {
    const { agentDetails } = await loadAgents();
    return answer(c, 200, await agentDetails(parameter(c, 'name'), linking(c, context)));
  });
  routes.serveQuery(ROUTES.startRun, WaitQuery, (c, context, { wait }) => start(c, wait, context));
  routes.serve(ROUTES.runAgUi, async (c, context) => {
    const { answerRun } = await import('./ag-ui/answer-run.ts');
    return answerRun(c, parameter(c, 'name'), context);
  });
  const loadAttachments = () => import('./attachments.ts');
  routes.serve(ROUTES.placeAttachment, async (c, context) =>
    (await loadAttachments()).placeAttachment(c, context),
  );
  routes.serve(ROUTES.putAttachment, async (c, context) =>
    (await loadAttachments()).putAttachment(c, parameter(c, 'hash'), context),
  );
  routes.serve(ROUTES.getAttachment, async (c, context) =>
    (await loadAttachments()).readAttachment(await find(c, context), parameter(c, 'hash'), context),
  );
  routes.serveAll(ROUTES.listRuns, async (c, context) => (await loadLists()).answerRuns(c, context));
  routes.serveAll(ROUTES.getCosts, async (c, context) => (await loadLists()).answerCosts(c, context));
  routes.serve(ROUTES.listEvals, async (c, context) =>
    answer(c, 200, await (await import('./evals.ts')).listEvals(context)),
  );
  routes.serve(ROUTES.getRun, async (c, context) =>
    answer(c, 200, await toResource(await find(c, context), context)),
  );
  routes.serve(ROUTES.getTree, async (c, context) => {
    const { toTree } = await loadDetails();
    return answer(c, 200, await toTree(await find(c, context), linking(c, context)));
  });
  routes.serveAll(ROUTES.getMessages, async (c, context) => {
    const { parsePart, toMessages } = await loadDetails();
    const part = parsePart(c);
    return answer(c, 200, await toMessages(await find(c, context), part, linking(c, context)));
  });
  routes.serve(ROUTES.getChanges, async (c, context) => {
    const run = await find(c, context);
    return answer(c, 200, await (await loadAgents()).runChanges(run, linking(c, context)));
  });
  routes.serveQuery(ROUTES.getResult, WaitQuery, async (c, context, { wait }) => {
    return answerResult(c, await find(c, context), wait, context);
  });
  serveEvents(routes);
  routes.serve(ROUTES.stopRun, async (c, context) =>
    (await loadSteering()).stop(c, await find(c, context), context),
  );
  routes.serve(ROUTES.killRun, async (c, context) =>
    (await loadSteering()).kill(c, await find(c, context), context),
  );
  routes.serve(ROUTES.addBudget, async (c, context) => {
    assertOwnRoute(c, ROUTES.addBudget);
    return (await loadSteering()).addBudget(c, await find(c, context), context);
  });
  routes.serve(ROUTES.forkRun, async (c, context) =>
    (await loadSteering()).fork(c, await find(c, context), context),
  );
  routes.serve(ROUTES.resumeRun, async (c, context) =>
    (await loadSteering()).resume(c, await find(c, context), context),
  );
  routes.serve(ROUTES.sendMessage, async (c, context) =>
    (await loadSteering()).send(c, await find(c, context), context),
  );
  routes.serve(ROUTES.listQuestions, async (c, context) => {
    const { listQuestions } = await import('./questions.ts');
    return answer(c, 200, { questions: await listQuestions(context) });
  });
  routes.serve(ROUTES.getQuestion, async (c, context) => {
    const run = await find(c, context);
    const { readQuestion } = await import('./questions.ts');
    return answer(c, 200, await readQuestion(run, parameter(c, 'question'), context));
  });
  routes.serve(ROUTES.answerQuestion, async (c, context) => {
    assertOwnRoute(c, ROUTES.answerQuestion);
    const run = await find(c, context);
    const { answerQuestion } = await import('./questions.ts');
    return answer(c, 200, await answerQuestion(c, run, parameter(c, 'question'), context));
  });
  const loadServers = () => import('./servers.ts');
  routes.serve(ROUTES.listServers, async (c, context) =>
    answer(c, 200, await (await loadServers()).listServers(context)),
  );
  routes.serve(ROUTES.connectServer, async (c, context) =>
    answer(c, 200, await (await loadServers()).connect(c, parameter(c, 'id'), context)),
  );
  routes.serve(ROUTES.disconnectServer, async (c, context) =>
    answer(c, 200, await (await loadServers()).disconnect(parameter(c, 'id'), context)),
  );
  routes.serve(ROUTES.completeSignIn, async (c, context) =>
    answer(c, 200, await (await loadServers()).complete(c, context)),
  );
  routes.serve(ROUTES.getHealth, async (c) => {
    const { version } = (await openApi()).info;
    return answer(c, 200, { ok: true, version });
  });
  routes.serve(ROUTES.getOpenApi, async (c) => answer(c, 200, await openApi()));

  return routes.complete();
}

/** Loaded where it is wanted: it is as large as all routes together. */
async function openApi() {
  return (await import('../../../schemas/openapi.json', { with: { type: 'json' } })).default;
}

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
