import type { ToolServer } from '../core/records/tool-server.ts';
import type { ToolServers } from '../core/tool-contracts/tool.ts';
import { loadOnce } from '../load-once.ts';
import type { OpenToolServers, ToolServersOptions } from '../tools/mcp/ports.ts';

/** The servers that agents use. Each protocol's client takes long to load, and is loaded when one of them is used. */
export function createToolServers(options: ToolServersOptions): OpenToolServers {
  let tools: Promise<OpenToolServers> | undefined;
  const openTools = () =>
    (tools ??= import('../tools/mcp/client/servers.ts').then(({ openServers }) => openServers(options)));
  const openAgents = loadOnce(async () =>
    (await import('../tools/a2a/remote-agents.ts')).openRemoteAgents(options),
  );
  const openFor = ({ reach }: ToolServer): Promise<ToolServers> =>
    reach.kind === 'url' && reach.protocol === 'a2a' ? openAgents() : openTools();
  return {
    list: async (server, owner) => (await openFor(server)).list(server, owner),
    call: async (server, call) => (await openFor(server)).call(server, call),
    close: async () => (await tools)?.close(),
  };
}
