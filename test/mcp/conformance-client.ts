/**
 * The client that the protocol's conformance suite is run against (docs/mcp.md, "Conformance"): it lists what the server
 * at the URL in its arguments offers, and calls every tool of it with arguments that fit, as an agent would.
 */
import * as v from 'valibot';
import { createToolServers } from '../../src/mcp/tool-servers.ts';
import type { Json } from '../../src/json.ts';
import type { ToolServer } from '../../src/runs/tool-server.ts';

const Properties = v.record(
  v.string(),
  v.object({ type: v.optional(v.unknown()), default: v.optional(v.unknown()) }),
);
const Context = v.object({
  toolCalls: v.optional(
    v.array(v.object({ name: v.string(), arguments: v.optional(v.record(v.string(), v.unknown()), {}) })),
  ),
});

const server: ToolServer = {
  name: 'conformance',
  reach: { kind: 'url', url: process.argv.at(-1) ?? '', headers: {} },
  tools: [],
  disallowedTools: [],
  readOnly: [],
  timeout: 20,
  required: true,
};
const servers = createToolServers({
  secret: () => Promise.resolve(undefined),
  howToGive: (name) => `set ${name}`,
  now: Date.now,
});

try {
  const { tools } = await servers.list(server);
  console.log(JSON.stringify(tools));
  const { toolCalls } = v.parse(Context, JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}'));
  const calls =
    toolCalls ?? tools.map(({ name, definition }) => ({ name, arguments: fitting(definition.parameters) }));
  for (const call of calls) {
    const output = await servers.call(server, {
      tool: call.name,
      name: call.name,
      arguments: call.arguments,
      isRepeatable: false,
      signal: AbortSignal.timeout(20_000),
    });
    console.log(JSON.stringify(output));
  }
} finally {
  await servers.close();
}

function fitting({ properties }: { [keyword: string]: Json }): Record<string, unknown> {
  const known = v.safeParse(Properties, properties);
  const all = known.success ? Object.entries(known.output) : [];
  return Object.fromEntries(all.map(([name, { type }]) => [name, SAMPLES.get(String(type)) ?? 'a']));
}

const SAMPLES = new Map<string, unknown>([
  ['integer', 2],
  ['number', 2],
  ['boolean', true],
  ['object', {}],
  ['array', []],
]);
