import { AgentError } from '../../errors.ts';
import { shownMemory } from '../../core/memory/shown-memory.ts';
import type { Memories } from '../../core/memory/memories.ts';
import { isWanted, type ServerTool, type ToolServer } from '../../core/records/tool-server.ts';
import type { Opened } from '../../core/records/opened.ts';
import type { ToolServers } from '../../core/tool-contracts/tool.ts';
import { defined } from '../../defined.ts';

/** The context that a run found when it was opened, apart from its agent's files. */

/** The memory that a run was shown; what the replayed agent remembers is not kept. */
export function recordedMemories(opened: Pick<Opened, 'memory' | 'system'> | undefined): Memories {
  const shown = opened === undefined ? [] : shownMemory(opened).entries;
  const memories: Memories = {
    of: () => memories,
    entries: async (_, last) => (last === 0 ? shown : shown.slice(-last)),
    kept: async () => [],
    append: async () => '',
    forget: async () => false,
    add: async () => 0,
    trim: async () => ({ removed: 0, kept: shown.length }),
  };
  return memories;
}

/** The servers of tools as they answered then. Tools that the run was not offered are not known. */
export function recordedServers(opened: Opened | undefined): Pick<ToolServers, 'list'> {
  return {
    async list(server) {
      const tools = toolsOf(server, opened);
      if (tools === undefined) {
        throw new AgentError(`server "${server.name}" was not used when the run was recorded`);
      }
      return { tools: tools.filter(({ name }) => isWanted(name, server)), notes: [], until: 0 };
    },
  };
}

function toolsOf({ name }: ToolServer, opened: Opened | undefined): ServerTool[] | undefined {
  const targets = Object.entries(opened?.targets ?? {}).flatMap(([offered, target]) =>
    target.kind === 'mcp' && target.server === name ? [{ offered, target }] : [],
  );
  if (targets.length === 0) return undefined;
  return targets.flatMap(({ offered, target: { tool, mirrored } }) =>
    (opened?.tools ?? [])
      .filter((definition) => definition.name === offered)
      .map((definition) => ({ definition, name: tool, ...defined({ mirrored }) })),
  );
}
