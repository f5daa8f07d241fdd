import type { Context } from 'hono';
import { Hono } from 'hono/tiny';
import type { AgentSource } from '../../../core/agent-schema/agent-source.ts';
import { nearest } from '../../../nearest.ts';
import type { RunEvent } from '../../../core/events/event.ts';
import { newRunId } from '../../../core/records/run-id.ts';
import type { RunRequest } from '../../../core/records/request.ts';
import { ANSWERED, isIn } from '../../../core/records/phase.ts';
import { findAgent, everyAgent } from '../agents.ts';
import { attendRun } from '../attended-run.ts';
import type { ApiContext } from '../context.ts';
import { OPENAI_PATH } from '../door-paths.ts';
import { faultOf, logFault } from '../fault.ts';
import { limitBodyWithFiles } from '../limit-body.ts';
import { badField, Problem } from '../problem.ts';
import { forCaller } from '../subject.ts';
import { createAnswerText } from './answer-text.ts';
import { parseChatRequest, type ChatRequest } from './chat-request.ts';
import { createCompletionStream } from './completion-stream.ts';
import { envelopeOf, toCompletion } from './completion.ts';
import { ofProblem, ofRun, RUN_STATUS, toErrorResponse, type OpenAiError } from './error.ts';

/** The prefix of models' names. */
const PREFIX = 'cadre/';

/**
 * Agents as models of OpenAI's Chat Completions, for clients that speak only that. A request is a run, which ends when
 * its client leaves. Its id is in the header `x-cadre-run` and, where these clients look for one, `x-request-id`.
 */
export function createOpenAiApi(context: ApiContext): Hono {
  const api = new Hono();

  api.onError((thrown, c) => {
    const { status, error } = errorOf(thrown, c, context);
    return toErrorResponse(status, error);
  });
  api.notFound(({ req }) =>
    toErrorResponse(404, {
      message: `there is no ${req.method} ${req.path} here`,
      type: 'invalid_request_error',
      param: null,
      code: 'unknown_url',
    }),
  );
  api.use(limitBodyWithFiles(';base64,'));

  api.get(`${OPENAI_PATH}models`, async (c) => {
    const { agents } = await everyAgent(context.source);
    return c.json({ object: 'list', data: agents.map(({ name }) => toModel(name)) });
  });
  api.get(`${OPENAI_PATH}models/:model{.+}`, async (c) => {
    const name = await agentOf(c.req.param('model'), context.source);
    await findAgent(name, context.source);
    return c.json(toModel(name));
  });
  api.post(`${OPENAI_PATH}chat/completions`, (c) => complete(c, forCaller(c, context)));
  return api;
}

/** What a client may read of an error. */
function errorOf(thrown: unknown, c: Context, context: ApiContext): { status: number; error: OpenAiError } {
  if (thrown instanceof Problem) return { status: thrown.status, error: ofProblem(thrown) };
  const fault = c.req.raw.signal.aborted
    ? new Problem(400, 'the client closed the request')
    : faultOf(thrown, logFault(thrown, c, context));
  return { status: fault.status, error: { ...ofProblem(fault), code: null } };
}

async function complete(c: Context, context: ApiContext): Promise<Response> {
  const asked = await parseChatRequest(c);
  const name = await agentOf(asked.model, context.source);
  const agent = await findAgent(name, context.source);
  if (asked.wantsJson && agent.output === undefined) {
    throw badField('response_format', "is not supported: the agent's file has no [output]");
  }
  const id = newRunId(name, context.now());
  const envelope = envelopeOf(id, asked.model, context.now());
  const headers = { 'cache-control': 'no-store', 'x-cadre-run': id, 'x-request-id': id };
  const attend = (onEvent?: (event: RunEvent) => void) =>
    attendRun(
      { id, request: toRequest(name, asked), files: asked.files },
      context,
      c.req.raw.signal,
      onEvent,
    );
  if (asked.streams) {
    const stream = createCompletionStream(envelope, asked.includesUsage);
    const { ended } = await attend(createAnswerText(id, stream.write));
    void ended.then(stream.end, (thrown: unknown) => stream.fail(errorOf(thrown, c, context).error));
    return new Response(stream.body, { headers: { 'content-type': 'text/event-stream', ...headers } });
  }
  const attended = await attend();
  const failed = (thrown: unknown) => toErrorResponse(RUN_STATUS, errorOf(thrown, c, context).error, headers);
  // From now on it has begun, and no client may send it again by itself.
  const ended = await attended.ended.catch(failed);
  if (ended instanceof Response) return ended;
  if (!isIn(ANSWERED, ended.run)) return toErrorResponse(RUN_STATUS, ofRun(ended.run), headers);
  return c.json(toCompletion(envelope, ended), 200, headers);
}

function toRequest(agent: string, { prompt, attachments, earlier, maxTokens }: ChatRequest): RunRequest {
  return {
    agent,
    prompt,
    ...(attachments.length > 0 && { attachments }),
    ...(earlier.length > 0 && { earlier }),
    ...(maxTokens !== undefined && { overrides: { maxTokens } }),
  };
}

/** @throws {Problem} 404 for a model that is no agent */
async function agentOf(model: string, source: AgentSource): Promise<string> {
  if (model.startsWith(PREFIX)) return model.slice(PREFIX.length);
  const meant = nearest(model, await source.list());
  const hint = meant === undefined ? '' : `; did you mean ${JSON.stringify(`${PREFIX}${meant}`)}?`;
  throw new Problem(
    404,
    `there is no model ${JSON.stringify(model)}: agents are ${PREFIX}<agent>, see GET /v1/models${hint}`,
  );
}

/** The time at which an agent was created is not recorded. */
function toModel(name: string) {
  return { id: `${PREFIX}${name}`, object: 'model', created: 0, owned_by: 'cadre' };
}
