import type { OpenToolServers, ToolServersOptions } from '../tools/mcp/ports.ts';

/** The servers that agents use. The protocol's client takes long to load, and is loaded when one of them is used. */
export function createToolServers(options: ToolServersOptions): OpenToolServers {
  let opened: Promise<OpenToolServers> | undefined;
  const open = () =>
    (opened ??= import('../tools/mcp/client/servers.ts').then(({ openServers }) => openServers(options)));
  return {
    list: async (server) => (await open()).list(server),
    call: async (server, call) => (await open()).call(server, call),
    close: async () => (await opened)?.close(),
  };
}
