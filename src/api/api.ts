import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import { Hono } from 'hono/tiny';
import { isRedriven } from '../residents/redriven.ts';
import { isOpen, isUnderWay, type Run } from '../runs/run.ts';
import { ConfigError } from '../errors.ts';
import { findAgent, listAgents, toResource as toAgentResource } from './agents.ts';
import { giveBudget } from './budget.ts';
import { limitBody } from './limit-body.ts';
import { ROUTES, type Route } from './routes.ts';
import { assertOwnRoute } from './own-route.ts';
import type { ApiPorts } from './ports.ts';
import { Problem, toResponse } from './problem.ts';
import { parseBody, parseHeaders, parseQuery } from './request.ts';
import {
  findRun,
  isInterrupted,
  listRuns,
  toMessages,
  toResource,
  toResult,
  toTree,
  untilEnded,
} from './run-resources.ts';
import {
  AddBudget,
  AnswerQuestion,
  MessagesQuery,
  PageQuery,
  ResumeRun,
  SendMessage,
  StartHeaders,
  StartRun,
  WaitQuery,
} from './schemas.ts';
import { idFor, startOnce } from './start-run.ts';
import { callerOf, subjectOf } from './subject.ts';
import { checkTimeout, toRequest } from './to-request.ts';

/**
 * The HTTP API: agents, and runs of them. The same application answers in an account, where `hono/aws-lambda` hands
 * it the events of API Gateway, and behind `cadre serve`. Who may call is settled before a request comes here.
 *
 * Every answer is JSON; what goes wrong is a problem (RFC 9457), which never holds an internal text. The routes are
 * those of `ROUTES`.
 */
export function createApi(ports: ApiPorts): Hono {
  const api = new Hono();

  api.onError((thrown, c) => {
    if (thrown instanceof Problem) return toResponse(thrown);
    // Nobody reads the answer, and what a request that breaks off leads to is no fault.
    if (c.req.raw.signal.aborted) return toResponse(new Problem(400, 'the client closed the request'));
    const id = randomUUID();
    ports.log({ id, method: c.req.method, path: c.req.path, thrown });
    return toResponse(new Problem(500, 'the request failed; the log has the details under this id'), { id });
  });
  api.notFound((c) => toResponse(new Problem(404, `there is no ${c.req.path} here`)));
  api.use(limitBody());

  const allowed = new Map<string, string[]>();
  const serve = ({ method, path }: Route, handle: Handler) => {
    const route = path.replaceAll(/\{(\w+)\}/g, ':$1');
    api.on(method, route, handle);
    allowed.set(route, [...(allowed.get(route) ?? []), method.toUpperCase()]);
  };
  const find = (c: Context) => findRun(parameter(c, 'id'), ports, subjectOf(c));

  serve(ROUTES.listAgents, async (c) => answer(c, 200, await listAgents(ports.source)));
  serve(ROUTES.getAgent, async (c) => {
    const name = parameter(c, 'name');
    return answer(c, 200, toAgentResource(name, await findAgent(name, ports.source)));
  });
  serve(ROUTES.startRun, (c) => start(c, ports));
  serve(ROUTES.listRuns, async (c) => {
    return answer(c, 200, await listRuns(parseQuery(c, PageQuery), ports, subjectOf(c)));
  });
  serve(ROUTES.getRun, async (c) => answer(c, 200, await toResource(await find(c), ports)));
  serve(ROUTES.getTree, async (c) => answer(c, 200, await toTree(await find(c), linking(c, ports))));
  serve(ROUTES.getMessages, async (c) => {
    const part = parseQuery(c, MessagesQuery);
    return answer(c, 200, await toMessages(await find(c), part, linking(c, ports)));
  });
  serve(ROUTES.getTreeEvents, async (c) => {
    const { answerTreeEvents } = await import('./tree-events.ts');
    return answerTreeEvents(c, await find(c), ports);
  });
  serve(ROUTES.getResult, async (c) => {
    const { wait } = parseQuery(c, WaitQuery);
    return answerResult(c, await find(c), wait, ports);
  });
  serve(ROUTES.getEvents, async (c) => {
    // Few requests need all that events are made from.
    const { answerEvents } = await import('./run-events.ts');
    return answerEvents(c, await find(c), ports);
  });
  serve(ROUTES.stopRun, async (c) => stop(c, await find(c), ports));
  serve(ROUTES.killRun, async (c) => kill(c, await find(c), ports));
  serve(ROUTES.addBudget, (c) => addBudget(c, ports));
  serve(ROUTES.resumeRun, async (c) => resume(c, await find(c), ports));
  serve(ROUTES.sendMessage, async (c) => send(c, await find(c), ports));
  serve(ROUTES.listQuestions, async (c) => {
    const { listQuestions } = await import('./questions.ts');
    return answer(c, 200, { questions: await listQuestions(ports, subjectOf(c)) });
  });
  serve(ROUTES.answerQuestion, async (c) => {
    assertOwnRoute(c, ROUTES.answerQuestion);
    const run = await find(c);
    const body = await parseBody(c, AnswerQuestion);
    const { giveAnswer } = await import('./questions.ts');
    return answer(c, 200, await giveAnswer(run, parameter(c, 'question'), body, ports, callerOf(c)));
  });
  serve(ROUTES.getHealth, async (c) => {
    const { version } = (await openApi()).info;
    return answer(c, 200, { ok: true, version });
  });
  serve(ROUTES.getOpenApi, async (c) => answer(c, 200, await openApi()));

  for (const [route, methods] of allowed) {
    api.all(route, (c) =>
      toResponse(new Problem(405, `${c.req.path} does not take ${c.req.method}`), {
        headers: { allow: methods.join(', ') },
      }),
    );
  }
  return api;
}

/** Loaded where it is wanted: it is as large as all routes together. */
async function openApi() {
  return (await import('../../schemas/openapi.json', { with: { type: 'json' } })).default;
}

type Handler = (c: Context) => Promise<Response> | Response;

async function start(c: Context, ports: ApiPorts): Promise<Response> {
  const { wait } = parseQuery(c, WaitQuery);
  const { 'idempotency-key': key } = parseHeaders(c, StartHeaders);
  const name = parameter(c, 'name');
  const body = await parseBody(c, StartRun);
  const agent = await findAgent(name, ports.source);
  const owner = subjectOf(c);
  const asked = toRequest(name, body, agent, ports.models);
  const request = owner === undefined ? asked : { ...asked, owner };
  const run = await startOnce(await idFor(request, key, ports), request, agent, ports);
  if (wait > 0) return answerResult(c, run, wait, ports);
  return answerUnderWay(c, run, ports);
}

/** The result if the run ends in time. */
async function answerResult(c: Context, run: Run, wait: number, ports: ApiPorts): Promise<Response> {
  const newest = await untilEnded(run, wait, c.req.raw.signal, ports);
  return isUnderWay(newest)
    ? answerUnderWay(c, newest, ports)
    : answer(c, 200, await toResult(newest, linking(c, ports)));
}

/** The ports for one request: links are absolute, on the host that the client itself named. */
function linking(c: Context, ports: ApiPorts): ApiPorts {
  return {
    ...ports,
    async publish(key, text) {
      const { url, expiresAt } = await ports.publish(key, text);
      return { url: new URL(url, c.req.url).href, expiresAt };
    },
  };
}

/** The run as it is, and where to ask again. */
async function answerUnderWay(c: Context, run: Run, ports: ApiPorts): Promise<Response> {
  c.header('location', `/runs/${run.id}`);
  return answer(c, 202, await toResource(run, ports));
}

async function send(c: Context, run: Run, ports: ApiPorts): Promise<Response> {
  const { text } = await parseBody(c, SendMessage);
  const by = subjectOf(c);
  await orConflict(() => ports.send({ run: run.id, text, ...(by !== undefined && { by }) }));
  return answerUnderWay(c, await findRun(run.id, ports), ports);
}

async function stop(c: Context, run: Run, ports: ApiPorts): Promise<Response> {
  if (!isOpen(run) && !(await isRedriven(run, ports.executions)))
    return answer(c, 200, await toResource(run, ports));
  const cause = 'stopped through the API';
  const { closeInterrupted } = ports;
  if (closeInterrupted !== undefined && (await isInterrupted(run, ports))) {
    await orConflict(() => closeInterrupted(run, cause));
    return answer(c, 200, await toResource(await findRun(run.id, ports), ports));
  }
  await orConflict(() => ports.executions.stop(run.execution, cause));
  return answerUnderWay(c, run, ports);
}

async function kill(c: Context, run: Run, ports: ApiPorts): Promise<Response> {
  await orConflict(() => ports.kill(run));
  return answerUnderWay(c, await findRun(run.id, ports), ports);
}

async function addBudget(c: Context, ports: ApiPorts): Promise<Response> {
  assertOwnRoute(c, ROUTES.addBudget);
  const run = await findRun(parameter(c, 'id'), ports, subjectOf(c));
  const body = await parseBody(c, AddBudget);
  return answer(c, 200, await orConflict(() => giveBudget(run, body, ports, callerOf(c))));
}

async function resume(c: Context, run: Run, ports: ApiPorts): Promise<Response> {
  const { timeout } = await parseBody(c, ResumeRun);
  if (timeout !== undefined) checkTimeout(timeout, await findAgent(run.agent, ports.source));
  const { resumeRun } = await import('../residents/resume.ts');
  const resumed = await orConflict(() => resumeRun(run, timeout, { ...ports, store: ports.runs }));
  return answerUnderWay(c, resumed, ports);
}

/** What the state of a run does not allow is no fault of the request. */
async function orConflict<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new Problem(409, error.message);
  }
}

function answer(c: Context, status: 200 | 202, body: object): Response {
  c.header('cache-control', 'no-store');
  return c.json(body, status);
}

function parameter(c: Context, name: string): string {
  return c.req.param(name) ?? '';
}
