import { posix, relative } from 'node:path';
import { AgentError, ConfigError } from '../errors.ts';
import {
  LOCAL_PROVIDERS,
  parseKnownModelName,
  parseModelName,
  PROVIDER_NAMES,
} from '../models/model-name.ts';
import { hasNoAddress } from '../models/model-vendors.ts';
import { nearest } from '../nearest.ts';
import { locate, type Complaint } from '../toml/locate.ts';
import type { TomlPath } from '../toml/parse-toml.ts';
import type { Agent } from './agent.ts';
import type { AgentSource, LoadedAgent } from './agent-source.ts';
import { agentTree } from './agent-tree.ts';
import { workdirOf } from './context.ts';
import { assertReadable, findPaths } from './context-files.ts';
import type { Claim } from './claim.ts';
import { delegationClaims } from './delegation-claims.ts';
import { compilePattern, isPattern } from './file-pattern.ts';
import { loadAgent } from './load-agent.ts';
import { isOnThisMachine } from './server-schema.ts';
import { isSkillName, loadSkill, resolveSkill } from './skill.ts';
import type { ReadableFiles } from './workspace.ts';

// Whether what an agent's file refers to is there. Loading an agent looks at none of it.

export interface ReferencePorts {
  source: AgentSource;
  /** The names of the skills that are kept beside the agents of a root. */
  skillsIn(root: string): Promise<string[]>;
  /** @throws {ConfigError} if there is no such module below a root */
  findModule(root: string, file: string): Promise<unknown>;
  /** The names of providers that are set up besides the known ones; absent: none. */
  providers?: readonly string[];
}

/** What an environment knows of providers. */
export interface DeploymentPorts extends ReferencePorts {
  /** Whether the environment has an address for the provider; absent: it has none for any. */
  isReachable?(provider: string): boolean;
  /** The folders below an agent's root that are deployed with it; absent: the usual ones. */
  deployed?: readonly string[];
}

export interface CheckPorts extends ReferencePorts {
  /** Where the command runs: see `ContextPorts`. */
  cwd: string;
  openWorkspace(workdir: string): ReadableFiles;
}

/** What there is to say of one agent, with places: `file:line:column: …`. */
export interface Findings {
  errors: string[];
  warnings: string[];
}

/** Looks at everything that an agent refers to on this machine. */
export function checkAgent(loaded: LoadedAgent, ports: CheckPorts): Promise<Findings> {
  return findingsOf(loaded, [...references(loaded, ports), ...files(loaded.agent, ports, () => true)]);
}

/** Looks at everything that an agent is deployed with. Its files are not: they are looked up in a bucket. */
export function checkDeployedAgent(loaded: LoadedAgent, ports: DeploymentPorts): Promise<Findings> {
  const { agent } = loaded;
  const patterns = agent.files.map((pattern, index) => ({
    path: ['files', index],
    check: () => compilePattern(pattern),
  }));
  return findingsOf(
    loaded,
    [
      ...references(loaded, ports),
      ...cloudModels(agent, ports),
      deployedSkill(loaded, ports),
      ...deployedTools(agent),
      ...reachableServers(agent),
      ...patterns,
    ],
    ports,
  );
}

/**
 * What a run would come upon only on its way, of the agent and of all that it can call: sub-agents that are missing or
 * broken, and files that are named by their paths and are not there. No patterns are looked for.
 */
export async function checkTree(name: string, loaded: LoadedAgent, ports: CheckPorts): Promise<string[]> {
  const found: string[] = [];
  for await (const current of agentTree(name, loaded, ports.source)) {
    const paths = files(current.agent, ports, (pattern) => !isPattern(pattern));
    // Where the model or the skill of the agent itself is not there, the run fails at once and says so.
    const isTop = current === loaded;
    const claims = isTop
      ? [...subAgents(current.agent, ports.source), ...modules(current, ports)]
      : references(current, ports);
    const complaints = await complaintsOf(current, [...claims, ...paths]);
    found.push(...(isTop ? [] : current.warnings), ...complaints);
  }
  return found;
}

async function findingsOf(
  loaded: LoadedAgent,
  claims: readonly Claim[],
  { isReachable = () => false }: Pick<DeploymentPorts, 'isReachable'> = {},
): Promise<Findings> {
  return {
    errors: await complaintsOf(loaded, claims),
    warnings: [
      ...loaded.warnings,
      ...(await complaintsOf(loaded, [
        scheduledModel(loaded.agent, isReachable),
        modelForSchema(loaded.agent),
        ...fetchedHosts(loaded.agent),
        ...delegationClaims(loaded.agent),
      ])),
    ],
  };
}

async function complaintsOf({ file }: LoadedAgent, claims: readonly Claim[]): Promise<string[]> {
  const complaints = (await Promise.all(claims.map(complaintOf))).filter((each) => each !== undefined);
  return file === undefined ? complaints.map(({ reason }) => reason) : locate(complaints, file);
}

async function complaintOf({
  path,
  isOfKey = false,
  check,
  word = '',
  known,
}: Claim): Promise<Complaint | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof AgentError)) throw error;
    const meant = nearest(word, (await known?.()) ?? []);
    const hint = meant === undefined || meant === word ? '' : `; did you mean ${JSON.stringify(meant)}?`;
    return { path, isOfKey, reason: error.message + hint };
  }
}

function references(
  loaded: LoadedAgent,
  { source, skillsIn, findModule, providers = [] }: ReferencePorts,
): Claim[] {
  const { agent, root } = loaded;
  const { skill } = agent;
  return [
    ...modelsOf(agent).map(({ path, model }) => ({
      path,
      check: () => parseKnownModelName(model, providers),
      word: model.split('/', 1)[0] ?? '',
      known: () => [...PROVIDER_NAMES, ...providers],
    })),
    {
      path: ['skill'],
      check: () => loadSkill(skill, root, source),
      word: skill,
      known: () => (isSkillName(skill) ? skillsIn(root) : []),
    },
    ...subAgents(agent, source),
    ...modules(loaded, { findModule }),
  ];
}

function modules({ agent, root }: LoadedAgent, { findModule }: Pick<ReferencePorts, 'findModule'>): Claim[] {
  return agent.functions.map(({ target }, index) => ({
    path: ['functions', index, 'file'],
    check: () => 'file' in target.source && findModule(root, target.source.file),
  }));
}

function subAgents(agent: Agent, source: AgentSource): Claim[] {
  return agent.subAgents.map((name, index) => ({
    path: ['sub_agents', index],
    check: () => loadAgent(name, source),
    word: name,
    known: () => source.list(),
  }));
}

/** The workdir, and those of the files in it that are to be looked for. */
function files(
  agent: Agent,
  { cwd, openWorkspace }: CheckPorts,
  isLookedFor: (pattern: string) => boolean,
): Claim[] {
  const workdir = workdirOf(agent, {}, cwd);
  const workspace = openWorkspace(workdir);
  const readable = assertReadable(workspace).then(
    () => true,
    () => false,
  );
  const claims = agent.files.map((pattern, index) => ({
    path: ['files', index],
    word: pattern,
    async check() {
      if (!(await readable) || (await findPaths([pattern], workspace)).length > 0) return;
      const quoted = JSON.stringify(pattern);
      const what = isPattern(pattern) ? `no file matches ${quoted}` : `file ${quoted} does not exist`;
      throw new ConfigError(`${what} in ${workdir}`);
    },
    known: () => (isPattern(pattern) ? [] : findPaths([posix.join(posix.dirname(pattern), '*')], workspace)),
  }));
  return [
    { path: ['workdir'], check: () => assertReadable(workspace) },
    ...claims.filter(({ word }) => isLookedFor(word)),
  ];
}

/** The agent's model, and those that its sub-agents may have. */
function modelsOf({ model, models }: Agent): { path: TomlPath; model: string }[] {
  return [
    { path: ['model'], model },
    ...models.map((each, index) => ({ path: ['models', index], model: each })),
  ];
}

function cloudModels(agent: Agent, { isReachable = () => false }: DeploymentPorts): Claim[] {
  return modelsOf(agent).map(({ path, model }) => ({
    path,
    check() {
      const { provider } = parseModelName(model);
      if (isReachable(provider)) return;
      if (isLocal(model)) {
        throw new ConfigError(`model "${model}" exists on this machine only: an account cannot run it`);
      }
      if (!hasNoAddress(provider)) return;
      throw new ConfigError(
        `provider "${provider}" has no address: set providers.${provider}.baseUrl of the environment`,
      );
    },
  }));
}

function isLocal(model: string): boolean {
  return LOCAL_PROVIDERS.some((provider) => model.startsWith(`${provider}/`));
}

function reachableServers({ mcpServers }: Agent): Claim[] {
  return mcpServers.map(({ name, reach }, index) => ({
    path: ['mcp_servers', index, reach.kind],
    check() {
      if (reach.kind === 'command') {
        throw new ConfigError(`server "${name}" is a command, which an account cannot start: give it a url`);
      }
      if (!isOnThisMachine(new URL(reach.url))) return;
      throw new ConfigError(`server "${name}" exists on this machine only: an account cannot reach it`);
    },
  }));
}

function deployedSkill(
  { agent: { skill }, root }: LoadedAgent,
  { deployed = ['agents', 'skills'] }: DeploymentPorts,
): Claim {
  return {
    path: ['skill'],
    check() {
      if (skill.trim() === '') return;
      const path = relative(root, resolveSkill(skill, root));
      if (deployed.some((folder) => path.startsWith(`${folder}/`))) return;
      const folders = deployed.map((folder) => `${folder}/`).join(' and ');
      throw new ConfigError(`skill ${path} is not deployed: only ${folders} are`);
    },
  };
}

function deployedTools({ tools }: Agent): Claim[] {
  return tools.map((tool, index) => ({
    path: ['tools', index],
    check() {
      if (tool !== 'run_command') return;
      throw new ConfigError(
        'run_command is for local runs only: give the agent a function of your own ([[functions]]), or keep the agent out of accounts (localAgents)',
      );
    },
  }));
}

function fetchedHosts({ tools, allowedHosts }: Agent): Claim[] {
  return tools.map((tool, index) => ({
    path: ['tools', index],
    check() {
      if (tool !== 'fetch_url' || allowedHosts.length > 0) return;
      throw new ConfigError('fetch_url can reach no host: name those that it may in allowed_hosts');
    },
  }));
}

function modelForSchema({ model, output }: Agent): Claim {
  return {
    path: ['output'],
    isOfKey: true,
    check() {
      if (output === undefined || !model.startsWith('offline/')) return;
      throw new ConfigError(
        `the model of this agent, "${model}", only picks sentences: it cannot answer with JSON`,
      );
    },
  };
}

/** A schedule is followed in an account, or while `cadre serve` runs, and nobody is there to see what comes of it. */
function scheduledModel({ model, schedule }: Agent, isReachable: (provider: string) => boolean): Claim {
  return {
    path: ['schedule'],
    isOfKey: true,
    check() {
      const isElsewhere = isLocal(model) && isReachable(parseModelName(model).provider);
      if (schedule === undefined || isElsewhere || !(isLocal(model) || model.startsWith('offline/'))) return;
      throw new ConfigError(
        model.startsWith('offline/')
          ? `the model of this schedule, "${model}", only picks sentences`
          : `the model of this schedule, "${model}", exists on this machine only: an account does not start it`,
      );
    },
  };
}
