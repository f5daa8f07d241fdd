import { ConfigError } from '../../errors.ts';
import { parseAgent } from '../loading/parse-agent.ts';
import type { TomlTable } from '../../parse-toml.ts';
import type { AgentDraft, Format } from './draft.ts';
import type { Note } from './keys.ts';
import { isInherited, toModel } from './models.ts';
import { toAgentName, uniqueName } from './names.ts';
import type { Project } from './project.ts';
import { writeToml } from './write-toml.ts';

/** The files of one format that hold agents. */
export interface Found {
  format: Format;
  paths: readonly string[];
}

export interface ImportOptions {
  /** The model of agents that name none; absent: the one that their own tool would use. */
  model?: string;
  /** Names of providers that the user has set up besides the known ones. */
  providers?: readonly string[];
  /** Names of agents that are there already, and that those imported may call. */
  existing?: readonly string[];
  /** Names of the skills that there will be. */
  skills?: readonly string[];
  /** Names of those that come along and that agents can load. */
  loadable?: readonly string[];
}

/** An agent as it comes along. */
export interface ImportedAgent {
  name: string;
  /** The file that it was read from. */
  file: string;
  toml: string;
  /** The names of the skills that it follows or may load. */
  skills: string[];
  /** Whether it may load all that it can. */
  loadsAll: boolean;
  /** Notes for the user, in the order of the agent's file. */
  notes: Note[];
}

/**
 * Turns the agents of other tools into those of Cadre. Each has a name that no other has, calls only agents that there
 * are, and is valid.
 * @throws {ConfigError} for a file that cannot be read, or an agent that Cadre cannot have
 */
export async function importAgents(
  project: Project,
  found: readonly Found[],
  options: ImportOptions = {},
): Promise<{ agents: ImportedAgent[]; notes: Note[] }> {
  const agents: ImportedAgent[] = [];
  const notes: Note[] = [];
  const taken = new Set<string>();
  for (const { format, paths } of found) {
    const reading = await format.read(project, paths);
    notes.push(...reading.notes);
    const named = reading.drafts.map((draft) => ({ draft, name: nameOf(draft, taken) }));
    for (const { draft, name } of named) {
      agents.push(await finish(name, draft, named, format, options));
    }
  }
  return { agents, notes };
}

interface Named {
  draft: AgentDraft;
  name: string;
}

function nameOf({ names }: AgentDraft, taken: Set<string>): string {
  const valid = names.map(toAgentName).find((name) => name !== '') ?? 'agent';
  const name = uniqueName(valid, taken);
  taken.add(name.toLowerCase());
  return name;
}

async function finish(
  name: string,
  draft: AgentDraft,
  all: readonly Named[],
  format: Format,
  { model: wanted, providers, existing = [], skills = [], loadable = [] }: ImportOptions,
): Promise<ImportedAgent> {
  const { file, names, agent } = draft;
  const notes: Note[] = names[0] === name ? [] : [draft.note(`called ${name} here: ${names[0]}`, 'name')];
  const fallback = wanted ?? format.model;
  const given = isInherited(draft.model) ? undefined : toModel(draft.model ?? '', providers);
  if (given === undefined) {
    const why = isInherited(draft.model) ? 'names no model' : `names an unknown model, ${draft.model}`;
    notes.push(draft.note(`${why}: ${fallback} is taken, --model takes another`, 'model'));
  }
  const { called, missing: unknown } = calledBy(draft, all, existing);
  notes.push(...unknown.map((each) => draft.note(`no such agent, left out of sub_agents: ${each}`, 'tools')));

  const { skill: followed = '' } = agent;
  const skillNamed = (name: string) =>
    skills.find((each) => [each, `skills/${each}/SKILL.md`].includes(name));
  const skill = skillNamed(followed);
  const { skills: loaded = [] } = agent;
  const named = loaded.filter((name) => name !== '*');
  const known = named.flatMap((name) => skillNamed(name) ?? []);
  const listed = new Set([...(loaded.includes('*') ? loadable : []), ...known]);
  listed.delete(skill ?? '');
  const missing = [followed, ...named].filter((name) => name !== '' && skillNamed(name) === undefined);
  notes.push(...missing.map((name) => draft.note(`no such skill, left out: ${name}`, 'skills')));

  const { permissions, params, budget, sub_agents_config, system_prompt, ...rest } = agent;
  const {
    description,
    skill: _skill,
    skills: _skills,
    files,
    tools,
    mode,
    allowed_hosts,
    timeout,
    ...tables
  } = rest;
  // In the order of the template: short keys, the prompt, then tables.
  const table: TomlTable = {
    name,
    // YAML ends a folded text with a line break.
    description: description?.trimEnd() || undefined,
    model: given ?? fallback,
    skill,
    skills: listed.size === 0 ? undefined : [...listed],
    files,
    tools,
    mode,
    allowed_hosts,
    sub_agents: called.length === 0 ? undefined : called,
    timeout,
    system_prompt: system_prompt === '' ? undefined : system_prompt,
    permissions,
    params,
    budget,
    sub_agents_config,
    ...tables,
  };
  const toml = writeToml(table);
  try {
    await parseAgent(name, { path: `${name}.toml`, root: '', bytes: new TextEncoder().encode(toml) });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(`${file} cannot be imported: ${error.message}`, { cause: error });
  }
  return {
    name,
    file,
    toml,
    skills: [...(skill === undefined ? [] : [skill]), ...listed],
    loadsAll: loaded.includes('*'),
    notes: [...notes, ...draft.notes].sort((one, other) => one.line - other.line),
  };
}

function calledBy(
  draft: AgentDraft,
  all: readonly Named[],
  existing: readonly string[],
): { called: string[]; missing: string[] } {
  const others = all.filter((each) => each.draft !== draft);
  const { calls } = draft;
  if (typeof calls === 'function' || calls === 'all') {
    const mayCall = (names: readonly string[]) => calls === 'all' || names.every((name) => calls(name));
    const callable = others.filter(({ draft: other }) => other.isCallable && mayCall(other.names));
    return { called: callable.map(({ name }) => name), missing: [] };
  }
  const called = new Set<string>();
  const missing: string[] = [];
  for (const wanted of calls) {
    const isMeant = (name: string) => name.toLowerCase() === wanted.toLowerCase();
    const other = all.find((each) => each.draft.names.some(isMeant))?.name ?? existing.find(isMeant);
    if (other === undefined) missing.push(wanted);
    else called.add(other);
  }
  return { called: [...called], missing };
}
