import { agentTree } from '../../../core/agent-schema/agent-tree.ts';
import type { LoadedAgent } from '../../../core/agent-schema/agent-source.ts';
import type { LocalSources } from '../../../authoring/loading/local-sources.ts';
import type { Io } from '../terminal/io.ts';
import { oneLine } from '../terminal/printable.ts';

/** Prints to stderr what an agent, or one that it can call, is shown from outside of its project. */
export async function tellOutside(
  name: string,
  loaded: LoadedAgent,
  { source, findOutside }: LocalSources,
  io: Io,
): Promise<void> {
  for await (const each of agentTree(name, loaded, source)) {
    for (const line of await findOutside(each)) io.stderr(`Warning: ${oneLine(line)}\n`);
  }
}
