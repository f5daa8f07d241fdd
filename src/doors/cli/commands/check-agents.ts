import { checkAgent } from '../../../authoring/loading/check-agent.ts';
import type { Agent } from '../../../core/agent-schema/agent.ts';
import { AgentFileError, type LoadedAgent } from '../../../core/agent-schema/agent-source.ts';
import { remoteCosts } from '../../../authoring/plan/remote-costs.ts';
import { agentTree } from '../../../core/agent-schema/agent-tree.ts';
import { loadAgent } from '../../../core/agent-schema/load-agent.ts';
import { agentFolders } from '../../../authoring/loading/folders/agent-folders.ts';
import { localSources, type LocalSources } from '../../../authoring/loading/local-sources.ts';
import { programsOf } from '../../../places/local/folder-trust.ts';
import { dearerInBatches } from '../terminal/batches-text.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { listedNames, loadFault, type AgentsOptions } from './agents.ts';
import { checkPorts } from './check-ports.ts';
import { notAgents } from './not-agents.ts';

/**
 * `cadre agents check [agent…]`: agents, or all there are, with everything that they refer to. A line for each that is
 * in order on stdout, the rest on stderr.
 * @returns the exit code: 2 where anything is wrong; lesser faults are warnings
 */
export async function checkAgents(names: readonly string[], options: AgentsOptions, io: Io): Promise<number> {
  // There may be no keys for models here.
  const { models: _, ...sources } = await localSources(io, options.agentsDir);
  const { source, trust } = sources;
  const ports = checkPorts(sources, io);
  let areGood = true;
  /** An agent's faults are those of its callers, too, and are told once. */
  const told = new Set<string>();
  const all = names.length === 0 ? await listedNames(source, io) : [...new Set(names)];
  if (!trust.isTrusted() && (await programsOf(all, source)).length > 0)
    io.stderr(`Warning: ${NOT_TRUSTED}\n`);
  const strays = names.length === 0 ? await notAgents(agentFolders({ ...options, ...io }), io.cwd) : [];
  for (const stray of strays) io.stderr(`Warning: ${stray}\n`);
  for (const name of all) {
    const { errors, warnings } = await loadAgent(name, source).then(
      async (loaded) => {
        const { errors: faults, warnings: lesser } = await checkAgent(loaded, ports);
        const costs = [...remoteCosts(loaded.agent), ...(await batchWarnings(loaded, sources, io))];
        return { errors: faults, warnings: [...lesser, ...costs] };
      },
      async (fault: unknown) => {
        const more = fault instanceof AgentFileError ? fault.more : [];
        return { errors: [await loadFault(name, fault, options, io), ...more], warnings: [] };
      },
    );
    const lines = [
      ...warnings.map((text) => ({ text, kind: 'Warning' })),
      ...errors.filter((each) => !told.has(each)).map((text) => ({ text, kind: 'Error' })),
    ];
    for (const { text, kind } of lines.sort(byPlace)) io.stderr(`${kind}: ${text}\n`);
    for (const error of errors) told.add(error);
    if (errors.length === 0) io.stdout(`${name}: ok\n`);
    else areGood = false;
  }
  return areGood ? EXIT.success : EXIT.configuration;
}

/** In the order of files and of the places in them; what has no place comes first. */
function byPlace(one: { text: string }, other: { text: string }): number {
  const placeOf = ({ text }: { text: string }) =>
    /^(?:failed to parse agent config ".*?": )?(.*?):(\d+):(\d+): /.exec(text)?.slice(1) ?? [];
  const [file = '', ...at] = placeOf(one);
  const [otherFile = '', ...otherAt] = placeOf(other);
  const [lines, columns] = [0, 1].map((index) => Number(at[index] ?? 0) - Number(otherAt[index] ?? 0));
  return file.localeCompare(otherFile) || lines || columns || 0;
}

/** Where recorded runs of an agent say that batches make it dearer. */
async function batchWarnings(
  loaded: LoadedAgent,
  { source, prices }: Pick<LocalSources, 'prices' | 'source'>,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<string[]> {
  const { agent } = loaded;
  const { name, params, schedule } = agent;
  if (params.service !== 'batch' && schedule?.service !== 'batch') return [];
  const { compareHere } = await import('../../../authoring/loading/compare-here.ts');
  const compared = (await compareHere([name], prices, cwd)).get(name);
  if (compared === undefined) return [];
  const agents = new Map<string, Agent>();
  for await (const each of agentTree(name, loaded, source)) agents.set(each.agent.name, each.agent);
  return dearerInBatches(agent, compared, (other) => agents.get(other));
}

const NOT_TRUSTED =
  'you have not trusted this folder, so modules were looked for and not bundled: cadre trust, or pass --trust';
