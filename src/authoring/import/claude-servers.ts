import type { Keys, Note } from './keys.ts';
import type { Project } from './project.ts';
import { readJson } from './read-keys.ts';
import { readServer, readServers, type ReadServer } from './servers.ts';

/** Time limits are in milliseconds. */
const DIALECT = { timeout: 1000 };

/** `mcpServers` of an agent: names of servers of the project, and servers of its own. */
export function readOwnServers(keys: Keys, known: Map<string, ReadServer>, notes: Note[]): string[] {
  const table = keys.table('mcpServers');
  if (table !== undefined) {
    const servers = readServers(table, DIALECT, notes);
    for (const [name, server] of servers) known.set(name, server);
    return [...servers.keys()];
  }
  const items = keys.values['mcpServers'];
  if (!Array.isArray(items)) return [];
  keys.take('mcpServers');
  return items.flatMap((item: unknown, index) => {
    if (typeof item === 'string') return [item];
    const inside = keys.item('mcpServers', index);
    return (inside?.names ?? []).flatMap((name) => {
      const own = inside?.table(name);
      if (own === undefined) return [];
      const server = readServer(name, own, DIALECT);
      notes.push(...server.notes, ...own.dropped());
      if (!('table' in server)) return [];
      known.set(name, server);
      return [name];
    });
  });
}

/** Servers in `.mcp.json`, which all agents of a project may use. */
export function readProjectServers({ read }: Project, notes: Note[]): Map<string, ReadServer> {
  const text = read('.mcp.json');
  const keys = text === undefined ? undefined : readJson('.mcp.json', text).table('mcpServers');
  const servers = readServers(keys, DIALECT, notes);
  notes.push(...(keys?.dropped() ?? []));
  return servers;
}
