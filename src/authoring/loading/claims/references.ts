import { basename } from 'node:path';
import { mayEmbed } from '../../../core/memory/embeddings.ts';
import { parseKnownModelName, PROVIDER_NAMES } from '../../../core/model/model-name.ts';
import { withProvider } from '../../../core/spending/known-models.ts';
import type { Models } from '../../../core/model/model.ts';
import { AgentError, ConfigError, MissingKeyError } from '../../../errors.ts';
import { hintAt } from '../../../nearest.ts';
import type { TomlPath } from '../../../parse-toml.ts';
import type { Agent } from '../../../core/agent-schema/agent.ts';
import type { AgentSource, LoadedAgent } from '../../../core/agent-schema/agent-source.ts';
import { loadAgent } from '../../../core/agent-schema/load-agent.ts';
import { ownFunctions } from '../../../core/agent-schema/own-functions.ts';
import { isSkillName, loadSkill } from '../../../core/agent-schema/skill.ts';
import type { FileClaim } from './claim.ts';

export interface ReferencePorts {
  source: AgentSource;
  /** The names of the skills that are kept beside the agents of a root. */
  skillsIn(root: string): Promise<string[]>;
  /** @throws {ConfigError} if there is no such module below a root, or it cannot be used */
  checkModule(root: string, file: string): Promise<unknown>;
  /**
   * Absent: scripts are not looked at.
   * @param path as the name of a model has it: `scripted/<path>`
   * @throws {ConfigError} if there is no such script, or it cannot be played
   */
  checkScript?(path: string): Promise<void>;
  /** The names of providers that are set up besides the known ones; absent: none. */
  providers?: readonly string[];
  /** What to do where a provider is none of them, nor a mistyped one: `; …`; absent: nothing is said. */
  providerHint?: string;
}

/** That what an agent refers to by name is there: models, skill, sub-agents, modules. */
export function references(loaded: LoadedAgent, ports: ReferencePorts): FileClaim[] {
  const { agent, root } = loaded;
  const { skill } = agent;
  const { source, skillsIn } = ports;
  return [
    ...models(agent, ports),
    embedding(agent, ports),
    {
      path: ['skill'],
      check: () => loadSkill(skill, root, source),
      word: skill,
      known: () => (isSkillName(skill) ? skillsIn(root) : []),
    },
    ...skills(loaded, ports),
    ...subAgents(loaded, source),
    ...modules(loaded, ports),
  ];
}

/** Each that may be loaded is there and can be used; and then no two have the same name. */
function skills(
  loaded: LoadedAgent,
  { source, skillsIn }: Pick<ReferencePorts, 'skillsIn' | 'source'>,
): FileClaim[] {
  const { agent, root } = loaded;
  const load = async (listed: string[]) =>
    source.skills?.({ ...loaded, agent: { ...agent, skills: listed } });
  const each = agent.skills.map((written, index) => ({
    path: ['skills', index],
    check: () => load([written]),
    word: written,
    known: () => (isSkillName(written) ? skillsIn(root) : []),
  }));
  const together = async () => {
    const alone = await Promise.allSettled(each.map(({ check }) => check()));
    if (alone.every(({ status }) => status === 'fulfilled')) await load(agent.skills);
  };
  return agent.skills.length < 2 ? each : [...each, { path: ['skills'], isOfKey: true, check: together }];
}

export function models(
  agent: Agent,
  { checkScript, ...ports }: Pick<ReferencePorts, 'providers' | 'providerHint' | 'checkScript'>,
): FileClaim[] {
  return modelsOf(agent).map(({ path, model }) => ({
    path,
    check() {
      const { provider, name } = parseKnownModelName(model, ports.providers);
      return provider === 'scripted' && checkScript?.(name);
    },
    hint: () => modelHint(model, ports),
  }));
}

/** That a memory can be searched by meaning, if it is to be. */
export function embedding(
  { memory }: Agent,
  ports: Pick<ReferencePorts, 'providers' | 'providerHint'>,
): FileClaim {
  return {
    path: ['memory', 'embedding'],
    check() {
      if (memory.embedding === '') return;
      const { provider } = parseKnownModelName(memory.embedding, ports.providers);
      if (mayEmbed(provider)) return;
      throw new ConfigError(`provider "${provider}" has no models for embeddings`);
    },
    hint: () => modelHint(memory.embedding, ports),
  };
}

/** That there are the keys and addresses that an agent's models need. */
export function keys(agent: Agent, ports: Models | undefined): FileClaim[] {
  if (ports === undefined) return [];
  return modelsOf(agent).map(({ path, model }) => ({
    path,
    async check() {
      try {
        await ports.open(model);
      } catch (thrown) {
        if (thrown instanceof MissingKeyError) throw new ConfigError(thrown.message, { cause: thrown });
        // A model that cannot be used at all is another claim's.
        if (!(thrown instanceof AgentError)) throw thrown;
      }
    },
  }));
}

/** The model that was probably meant: its provider is mistyped, missing, or not set up. */
function modelHint(
  model: string,
  { providers = [], providerHint = '' }: Pick<ReferencePorts, 'providers' | 'providerHint'>,
): string {
  if (model.includes('/')) {
    const [provider = ''] = model.split('/', 1);
    const known = [...PROVIDER_NAMES, ...providers];
    return known.includes(provider) ? '' : hintAt(provider, known) || providerHint;
  }
  const meant = withProvider(model.trim());
  return meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
}

export function modules(
  { agent, root }: LoadedAgent,
  { checkModule }: Pick<ReferencePorts, 'checkModule'>,
): FileClaim[] {
  return ownFunctions(agent).map(({ source: target, path }) => ({
    path,
    check: () => 'file' in target && checkModule(root, target.file),
  }));
}

export function subAgents({ agent, file }: LoadedAgent, source: AgentSource): FileClaim[] {
  // Its file may give it another name than the one that it is called by.
  const own = file === undefined ? agent.name : basename(file.path, '.toml');
  return agent.subAgents.map((name, index) => ({
    path: ['sub_agents', index],
    check: () => loadAgent(name, source),
    word: name,
    known: async () => (await source.list()).filter((each) => each !== own),
  }));
}

/** The agent's model, and those that its sub-agents may have. */
export function modelsOf({ model, models }: Agent): { path: TomlPath; model: string }[] {
  return [
    { path: ['model'], model },
    ...models.map((each, index) => ({ path: ['models', index], model: each })),
  ];
}
