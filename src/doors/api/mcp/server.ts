import { createRequestStateCodec, McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import project from '../../../../package.json' with { type: 'json' };
import type { ApiContext } from '../context.ts';
import { callAgent, callResult, type Begun, type Caller } from './call-agent.ts';
import { offeredAgents, RESULT_TOOL, type OfferedAgent } from '../offered-agents.ts';
import { sealKeys } from './seal-keys.ts';
import { serveTasks } from './serve-tasks.ts';
import { parametersOf, RESULT_PARAMETERS, shown } from './tool-arguments.ts';

/** A person is asked one thing after another, and takes time to answer. */
const MAX_ROUNDS = 100;
const MAX_ROUND_SECONDS = 3_600;

/**
 * Makes the server of one connection or, over HTTP, of one request: a tool for each agent that is offered, and one that
 * asks for the result of a run. It keeps nothing from one call to the next.
 */
export function createServerFactory(context: ApiContext): McpServerFactory {
  const codecOf = (key: string) => createRequestStateCodec<Begun>({ key, ttlSeconds: MAX_ROUND_SECONDS });
  const codecs = async () => {
    const [today, yesterday] = await sealKeys(context);
    return [codecOf(today), codecOf(yesterday)] as const;
  };
  return async ({ era }) => {
    const server = new McpServer(
      { name: 'cadre', version: project.version },
      {
        // Agents may come and go without notice: a client that lists them again sees them.
        capabilities: { tools: { listChanged: false } },
        inputRequired: { maxRounds: MAX_ROUNDS, roundTimeoutMs: 1000 * MAX_ROUND_SECONDS },
        requestState: {
          // Each refuses it in the same words.
          verify: async (state, ctx) => Promise.any((await codecs()).map((each) => each.verify(state, ctx))),
        },
      },
    );
    const callerOf = (ctx: Caller['ctx']): Caller => ({
      ctx,
      // oxlint-disable-next-line typescript/no-deprecated -- clients of the older era say it once, and not in requests
      capabilities: era === 'legacy' ? server.server.getClientCapabilities() : undefined,
      asksWithin: era === 'legacy',
      seal: async (begun) => (await codecs())[0].mint(begun),
    });
    if (era !== 'legacy') serveTasks(server, context);
    const offers = await offeredAgents(context.source);
    for (const offered of offers) {
      const { name, description, inputSchema } = toTool(offered);
      const config = { description, inputSchema: shown(inputSchema) };
      server.registerTool(name, config, (given, ctx) => callAgent(offered, given, callerOf(ctx), context));
    }
    const { description, inputSchema, annotations } = RESULT;
    const config = { description, inputSchema: shown(inputSchema), annotations };
    server.registerTool(RESULT_TOOL, config, (given, ctx) => callResult(given, callerOf(ctx), context));
    // The package would list the same, but checks every answer against the listed schema, which tasks do not have.
    // Its own check of the parameters would call wrong ones a fault of the server.
    const tools = [...offers.map(toTool), RESULT];
    server.server.setRequestHandler('tools/list', { params: ListParams }, () => ({ tools }));
    return server;
  };
}

function toTool({ name, agent }: OfferedAgent) {
  return {
    name,
    description: agent.description.trim() || `Runs the agent "${name}"`,
    inputSchema: parametersOf(agent),
    ...(agent.output !== undefined && { outputSchema: agent.output }),
  };
}

const ListParams = v.optional(v.looseObject({ cursor: v.optional(v.string()) }));

const RESULT = {
  name: RESULT_TOOL,
  description: 'Gives the answer of an agent that was still at work when its call came back',
  inputSchema: RESULT_PARAMETERS,
  annotations: { readOnlyHint: true },
};
