import type { Secrets } from '../../core/records/secrets.ts';
import type { Models } from '../../core/model/model.ts';
import type { LoadedAgent } from '../../core/agent-schema/agent-source.ts';
import { agentTree } from '../../core/agent-schema/agent-tree.ts';
import { complaintsOf, type FileClaim } from './claims/claim.ts';
import type { DeploymentPorts } from './claims/deployment.ts';
import { effectClaims } from './claims/effects.ts';
import { fileClaims, type FilePorts } from './claims/files.ts';
import { keys, models, modules, references, subAgents, type ReferencePorts } from './claims/references.ts';
import { isolation } from './claims/isolation.ts';
import { functionSecrets, serverSecrets } from './claims/secrets.ts';
import { webSearch } from './claims/web-search.ts';
import type { WebSearching } from '../../core/tool-contracts/web-search.ts';
import { isPattern } from '../../core/agent-schema/is-pattern.ts';

// Whether what an agent's file refers to is there. Loading an agent looks at none of it.

export interface CheckPorts extends ReferencePorts, FilePorts {
  secrets: Secrets;
  /** Absent: nobody searches the web here. */
  webSearch?: WebSearching;
  /** Where models are opened; absent: it is not looked at whether there are keys for them. */
  models?: Models;
}

/** The findings about one agent, with places: `file:line:column: …`. */
export interface Findings {
  errors: string[];
  warnings: string[];
}

/**
 * Checks everything that an agent refers to on this machine. Elsewhere secrets may be set and commands isolated, so
 * where they are not here is only warned of.
 */
export async function checkAgent(loaded: LoadedAgent, ports: CheckPorts): Promise<Findings> {
  const { agent } = loaded;
  const searching = webSearch(agent, ports.webSearch);
  const byModel = ports.webSearch === 'model';
  const claims = [
    ...references(loaded, ports),
    ...fileClaims(agent, ports, () => true),
    ...(byModel ? searching : []),
  ];
  const { errors, warnings } = await findingsOf(loaded, claims);
  for await (const each of agentTree(agent.name, loaded, ports.source)) {
    // A run of this agent would be refused for it.
    if (each !== loaded) errors.push(...(await checkModels(each, ports.providers ?? [])));
  }
  const here = [
    ...functionSecrets(agent, ports.secrets),
    ...serverSecrets(agent, ports.secrets),
    isolation(agent),
    ...(byModel ? [] : searching),
  ];
  return { errors, warnings: [...warnings, ...(await complaintsOf(loaded, here))] };
}

/** The faults of the models that an agent names, with places: `file:line:column: …`. */
export function checkModels(loaded: LoadedAgent, providers: readonly string[]): Promise<string[]> {
  return complaintsOf(loaded, models(loaded.agent, { providers }));
}

/**
 * The faults that a run would meet only on its way, of the agent and of all that it can call: sub-agents that are
 * missing or broken, secrets and keys that are missing, and named files that do not exist. Patterns of files are not tried.
 */
export async function checkTree(name: string, loaded: LoadedAgent, ports: CheckPorts): Promise<string[]> {
  const found: string[] = [];
  for await (const current of agentTree(name, loaded, ports.source)) {
    const paths = fileClaims(current.agent, ports, (pattern) => !isPattern(pattern));
    // Where the model, the skill, a search by the model's provider or a server of the agent itself is not there, the run fails at once and says so.
    const isTop = current === loaded;
    const claims = isTop
      ? [...subAgents(current, ports.source), ...modules(current, ports)]
      : [
          ...references(current, ports),
          ...keys(current.agent, ports.models),
          ...serverSecrets(current.agent, ports.secrets),
        ];
    const here = [
      ...functionSecrets(current.agent, ports.secrets),
      ...(isTop && ports.webSearch === 'model' ? [] : webSearch(current.agent, ports.webSearch)),
    ];
    const complaints = await complaintsOf(current, [...claims, ...here, ...paths]);
    found.push(...(isTop ? [] : current.warnings), ...complaints);
  }
  return found;
}

/** What is wrong with an agent by the claims, and what its file has no effect with or is warned of. */
export async function findingsOf(
  loaded: LoadedAgent,
  claims: readonly FileClaim[],
  ports: Pick<DeploymentPorts, 'isReachable'> = {},
): Promise<Findings> {
  return {
    errors: await complaintsOf(loaded, claims),
    warnings: [...loaded.warnings, ...(await complaintsOf(loaded, effectClaims(loaded.agent, ports)))],
  };
}
