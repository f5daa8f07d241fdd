import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import project from '../../../package.json' with { type: 'json' };
import type { AttendedPorts } from '../attended-run.ts';
import { callAgent, callResult, type Caller } from './call-agent.ts';
import { offeredAgents, RESULT_TOOL } from './offered-agents.ts';
import { parametersOf, RESULT_PARAMETERS, shown } from './tool-arguments.ts';

/** A person is asked one thing after another, and takes time to answer. */
const INPUT = { maxRounds: 100, roundTimeoutMs: 3_600_000 };

/**
 * Makes the server of one connection or, over HTTP, of one request: a tool for each agent that is offered, and one that
 * asks for the result of a run. It keeps nothing from one call to the next.
 */
export function createServerFactory(ports: AttendedPorts): McpServerFactory {
  return async ({ era }) => {
    const server = new McpServer(
      { name: 'cadre', version: project.version },
      { capabilities: { tools: {} }, inputRequired: INPUT },
    );
    const callerOf = (ctx: Caller['ctx']): Caller => ({
      ctx,
      capabilities: era === 'legacy' ? server.server.getClientCapabilities() : undefined,
      asksWithin: era === 'legacy',
    });
    for (const offered of await offeredAgents(ports.source)) {
      const { name, agent } = offered;
      const description = agent.description.trim() || `Runs the agent "${name}"`;
      const config = { description, inputSchema: shown(parametersOf(agent)) };
      server.registerTool(name, config, (given, ctx) => callAgent(offered, given, callerOf(ctx), ports));
    }
    server.registerTool(
      RESULT_TOOL,
      {
        description: 'Gives the answer of an agent that was still at work when its call came back',
        inputSchema: shown(RESULT_PARAMETERS),
        annotations: { readOnlyHint: true },
      },
      (given, ctx) => callResult(given, callerOf(ctx), ports),
    );
    return server;
  };
}
