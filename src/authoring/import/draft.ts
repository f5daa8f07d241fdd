import type * as v from 'valibot';
import type { agentFileSchema } from '../../core/agent-schema/agent-schema.ts';
import { REASONING_EFFORTS, type ReasoningEffort } from '../../core/records/message.ts';
import type { Keys, Note } from './keys.ts';
import type { Project } from './project.ts';
import { defined } from '../../defined.ts';

type AgentFile = v.InferInput<typeof agentFileSchema>;
export type ServerTable = NonNullable<AgentFile['mcp_servers']>[number];

/** The keys of an agent's file besides its name, its model and its sub-agents. */
export type AgentTable = Omit<AgentFile, 'name' | 'model' | 'sub_agents'>;

/** An agent of another tool, in the terms of Cadre, before it has a name that no other has. */
export interface AgentDraft {
  /** The file that it was read from. */
  file: string;
  /** Its names in that format, the preferred one first; other agents may call it by any of them. */
  names: string[];
  /** As it is written there, with the provider if the format has one; absent: its caller's. */
  model?: string;
  agent: AgentTable;
  /** The agents that it may call: by name, or those that a test says; "all" agents that may be called. */
  calls: 'all' | readonly string[] | ((name: string) => boolean);
  /** Whether those that may call all agents may call it. */
  isCallable: boolean;
  notes: Note[];
  /** A note about a key of its file. */
  note(text: string, key: string): Note;
}

/** The agents and notes that were read from a format's files. */
export interface ImportedAgents {
  drafts: AgentDraft[];
  /** Of the files that all agents share, and of those that hold no agent. */
  notes: Note[];
}

/** A format in which another tool keeps agents. */
export interface Format {
  /** The value of `--from`. */
  name: FormatName;
  /** Where a project keeps its agents: patterns, from the project's root. */
  agents: readonly string[];
  /** The folders of a project that hold its skills. */
  skills: readonly string[];
  /** The model of an agent that names none. */
  model: string;
  /** Whether a file from nowhere in particular looks like an agent of this format. */
  isAgent(path: string, text: string): boolean;
  /**
   * @param paths of the agents
   * @throws {ConfigError} for a file that cannot be read
   */
  read(project: Project, paths: readonly string[]): Promise<ImportedAgents>;
}

/** Stands in `skills` of a draft for all skills of its project. */
export const EVERY_SKILL = ['*'];

export const FORMAT_NAMES = ['claude', 'codex', 'copilot', 'gemini', 'opencode', 'axe'] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/**
 * Seconds for a run of an agent whose own tool sets no limit of time. Cadre's 120 are for agents that answer; one that
 * edits files and runs tests takes longer.
 */
export const LONG_RUN = 3_600;

/** The name of a file without its folder and its extensions: `review.agent.md` is `review`. */
export function baseName(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.replace(/(\.agent|\.chatmode)?\.(md|toml)$/, '');
}

/** An agent's names: the one in its file, and the file's own. */
export function namesOf(keys: Keys, path: string): string[] {
  const name = baseName(path);
  return [...new Set([keys.text('name') ?? name, name])];
}

/** Whether a file is a slash command, which is a prompt for the agent that is there already. */
export function isCommand(path: string, keys: Keys): boolean {
  return (
    /(^|\/)commands?\//.test(path) ||
    ['allowed-tools', 'argument-hint', 'subtask'].some((key) => keys.names.includes(key))
  );
}

/** The notes about an agent, with those on keys that nothing has taken by then. */
export function notesOf(keys: Keys, notes: readonly Note[]): Pick<AgentDraft, 'note' | 'notes'> {
  return { notes: [...notes, ...keys.dropped()], note: (text, key) => keys.note(text, key) };
}

/** `params` and `budget`, where there is anything in them. */
export function limits({
  effort,
  temperature,
  turns,
}: {
  effort?: ReasoningEffort | undefined;
  temperature?: number | undefined;
  turns?: number | undefined;
}): Pick<AgentTable, 'params' | 'budget'> {
  const params = {
    ...defined({ temperature, reasoning_effort: effort }),
  };
  return {
    ...(Object.keys(params).length > 0 && { params }),
    ...(turns !== undefined && { budget: { max_turns: Math.ceil(turns) } }),
  };
}

/** Takes how much a model thinks, if it is said in words that Cadre has too; otherwise the key is left over. */
export function effortOf(keys: Keys, ...names: string[]): ReasoningEffort | undefined {
  for (const name of names) {
    const effort = REASONING_EFFORTS.find((each) => each === keys.values[name]);
    if (effort !== undefined) return (keys.take(name), effort);
  }
  return undefined;
}
