import { AgentCard } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import { A2A_LEGACY_PROTOCOL_VERSION } from '@a2a-js/sdk/compat/v0_3';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { JsonRpcTransportHandler, ServerCallContext, validateVersion } from '@a2a-js/sdk/server';
import type { Context } from 'hono';
import { Hono } from 'hono/tiny';
import * as v from 'valibot';
import { answerFault } from '../fault.ts';
import type { ApiContext } from '../context.ts';
import { A2A_PATH, CARD_PATH } from '../door-paths.ts';
import { limitBodyWithFiles } from '../limit-body.ts';
import { topAgents } from '../offered-agents.ts';
import { nothingAt, Problem, toResponse } from '../problem.ts';
import { answerStream } from '../server-sent.ts';
import { forCaller, nameOfCaller } from '../subject.ts';
import { agentCard } from './card.ts';
import { telling, toA2aError } from './errors.ts';
import { readFrame } from './frame.ts';
import { createHandler } from './handler.ts';
import { assertParams } from './params.ts';

/** Clients name their version of the protocol in this header; those that do not speak the one before the first. */
const VERSION_HEADER = 'a2a-version';

/** The text in front of a file in a message, in this version of the protocol and the one before. */
const FILE_MARKS = ['"raw"', '"bytes"'];

/** Agents as servers of Agent2Agent, over JSON-RPC: each has an address and a card of its own. */
export function createA2a(shared: ApiContext): Hono {
  const app = new Hono();
  app.onError((thrown, c) =>
    thrown instanceof Problem ? toResponse(thrown) : answerFault(thrown, c, shared),
  );
  app.notFound((c) => toResponse(nothingAt(c.req.path)));
  app.get(CARD_PATH, async (c) => answerCard(c, await firstAgent(shared), shared));
  app.get(`${A2A_PATH}/:agent${CARD_PATH}`, (c) => answerCard(c, c.req.param('agent'), shared));
  app.post(`${A2A_PATH}/:agent`, limitBodyWithFiles(...FILE_MARKS), (c) =>
    answerCall(c, c.req.param('agent'), shared),
  );
  return app;
}

/** The agent whose card is the server's: the only one that is no sub-agent of another. @throws {Problem} 404 */
async function firstAgent({ source, a2a }: ApiContext): Promise<string> {
  if (a2a !== undefined) return a2a;
  const tops = await topAgents(source);
  const [only] = tops;
  if (only !== undefined && tops.length === 1) return only.name;
  const cards = tops.map(({ name }) => `${A2A_PATH}/${name}${CARD_PATH}`);
  throw new Problem(404, `the server has no card of its own: each agent has one: ${cards.join(', ')}`);
}

async function answerCard(c: Context, agent: string, shared: ApiContext): Promise<Response> {
  const context = forCaller(c, shared);
  const card = await agentCard(agent, new URL(c.req.url).origin, context);
  c.header('cache-control', 'no-store');
  c.header('vary', VERSION_HEADER);
  const json = AgentCard.toJSON(card);
  return c.json(versionOf(c) === A2A_LEGACY_PROTOCOL_VERSION ? withLegacyFields(card, json) : json);
}

/** With the keys where clients of the version before look for what others find among the interfaces. */
function withLegacyFields(
  { supportedInterfaces: [preferred], capabilities }: AgentCard,
  json: unknown,
): object {
  return {
    ...(typeof json === 'object' && json),
    protocolVersion: `${A2A_LEGACY_PROTOCOL_VERSION}.0`,
    url: preferred?.url,
    preferredTransport: preferred?.protocolBinding,
    capabilities: { streaming: capabilities?.streaming, pushNotifications: false },
    securitySchemes: undefined,
    securityRequirements: undefined,
  };
}

/** The version that a client speaks, whose patches make no difference ("Versioning", section 3.6). */
function versionOf(c: Context): string {
  const named = c.req.header(VERSION_HEADER)?.trim() || A2A_LEGACY_PROTOCOL_VERSION;
  return /^\d+\.\d+(?=\.\d+$)/.exec(named)?.[0] ?? named;
}

const Internal = v.object({ error: v.object({ code: v.literal(-32603) }) });

async function answerCall(c: Context, agent: string, shared: ApiContext): Promise<Response> {
  const context = forCaller(c, shared);
  const { origin } = new URL(c.req.url);
  const requested = { agent, origin, signal: c.req.raw.signal, by: nameOfCaller(c, context) };
  let isOurs = false;
  const handler = telling(createHandler(requested, context), (thrown) => {
    isOurs = true;
    return toA2aError(thrown, c, context);
  });
  const requestedVersion = versionOf(c);
  const isLegacy = requestedVersion === A2A_LEGACY_PROTOCOL_VERSION;
  const transport = isLegacy
    ? new LegacyJsonRpcTransportHandler(handler)
    : new JsonRpcTransportHandler(handler);
  const toError = isLegacy
    ? LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError
    : JsonRpcTransportHandler.mapToJSONRPCError;
  const body = await c.req.text();
  const { id, params, fault } = readFrame(body);
  if (fault !== undefined) return c.json({ jsonrpc: '2.0', id, error: fault });
  const failed = (thrown: unknown) => ({ jsonrpc: '2.0', id, error: toError(thrown) });
  try {
    validateVersion(requestedVersion, await handler.getAgentCard(), 'JSONRPC');
    assertParams(params);
    const answer = await transport.handle(body, new ServerCallContext({ requestedVersion }));
    if (!(Symbol.asyncIterator in answer)) {
      // It was thrown by the package, in the middle of parameters that it does not check.
      if (!isOurs && v.is(Internal, answer))
        throw new RequestMalformedError('params lack what the method takes');
      return c.json(answer);
    }
    // What is wrong with the request shows with the first event.
    const first = await answer.next();
    return await answerStream(c, () => events(first, answer, failed), context);
  } catch (thrown) {
    return c.json(failed(thrown));
  }
}

async function* events(
  first: IteratorResult<object, void>,
  rest: AsyncGenerator<object, void, undefined>,
  failed: (thrown: unknown) => object,
): AsyncGenerator<string> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield toText(next.value);
  } catch (thrown) {
    yield toText(failed(thrown));
  } finally {
    await rest.return();
  }
}

function toText(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}
