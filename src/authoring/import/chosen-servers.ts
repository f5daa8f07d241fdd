import type { ServerTable } from './draft.ts';
import { withTools, type ReadServer } from './servers.ts';

/** The servers of tools that an agent has: whole, or some of their tools. */
export class ChosenServers {
  readonly #known: ReadonlyMap<string, ReadServer>;
  readonly #chosen = new Map<string, Set<string> | 'all'>();

  constructor(known: ReadonlyMap<string, ReadServer>) {
    this.#known = known;
  }

  /** @returns why it was not chosen */
  addAll(server: string): string | undefined {
    if (!this.#known.has(server)) return `no server of that name is set up here, left out: ${server}`;
    this.#chosen.set(server, 'all');
    return undefined;
  }

  /** Chooses every server that is known. */
  addEach(): void {
    for (const server of this.#known.keys()) this.addAll(server);
  }

  /** @param tool by the server's own name, or "*" for all */
  add(server: string, tool: string): string | undefined {
    if (tool === '*' || tool === '') return this.addAll(server);
    const written = `${server}/${tool}`;
    if (!this.#known.has(server)) return `no server of that name is set up here, left out: ${written}`;
    if (tool.includes('*')) return `a server's tools are named one by one, left out: ${written}`;
    const tools = this.#chosen.get(server);
    if (tools === undefined) this.#chosen.set(server, new Set([tool]));
    else if (tools !== 'all') tools.add(tool);
    return undefined;
  }

  /** The server and the tool that are run together in one word: `mcp_docs_search`, `docs_search`. */
  split(word: string, separators: readonly string[]): { server: string; tool: string } | undefined {
    for (const server of this.#known.keys()) {
      if (word === server) return { server, tool: '*' };
      const separator = separators.find((each) => word.startsWith(server + each));
      if (separator !== undefined) return { server, tool: word.slice(server.length + separator.length) };
    }
    return undefined;
  }

  /** The names under which rules of permissions find a server's tools. */
  rule(server: string, tool: string): string[] {
    const known = this.#known.get(server);
    return known === undefined || !this.#chosen.has(server)
      ? []
      : [`mcp__${known.table.name}__${tool || '*'}`];
  }

  remove(server: string): void {
    this.#chosen.delete(server);
  }

  clear(): void {
    this.#chosen.clear();
  }

  get isEmpty(): boolean {
    return this.#chosen.size === 0;
  }

  toTable(): { mcp_servers?: ServerTable[] } {
    const tables = [...this.#chosen].flatMap(([name, tools]) => {
      const server = this.#known.get(name);
      if (server === undefined) return [];
      const table = withTools(server, tools === 'all' ? 'all' : [...tools]);
      // No tools at all would mean every tool.
      return tools !== 'all' && table.tools?.length === 0 ? [] : [table];
    });
    return tables.length === 0 ? {} : { mcp_servers: tables };
  }
}
