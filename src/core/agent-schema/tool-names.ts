const MAIL = ['mail_check', 'mail_delete', 'mail_filter', 'mail_read', 'mail_send'] as const;

/** Tools that read a repository: only offered where the workdir is one. */
export const GIT_TOOLS = ['git_diff', 'git_log'] as const;

/** The tools that read skills: an agent that lists skills has them. */
export const SKILL_TOOLS = ['read_skill_file', 'use_skill'] as const;

/** Tools that reach what an agent remembers: `[memory] search` brings them, and no word under `tools`. */
export const MEMORY_TOOLS = ['memory_forget', 'memory_save', 'memory_search'] as const;

/**
 * Names of tools that are younger than `[[functions]]`: a function of the user's own that has one of them keeps it, and
 * its agent is not offered the tool. The names of new tools belong here.
 */
const LATER: ReadonlySet<string> = new Set([
  ...GIT_TOOLS,
  'list_agents',
  ...MEMORY_TOOLS,
  ...SKILL_TOOLS,
  'web_search',
]);

/** Whether a function of the user's own may have the name of this tool. */
export function isLater(name: string): boolean {
  return LATER.has(name);
}

/** Tools that read the files of the workdir as they are. */
export const READING_TOOLS = ['glob', 'grep', 'list_directory', 'read_file'] as const;

/**
 * The tool that brings all others of its group: an agent that starts others can write to them, wait for them and end
 * them.
 */
export const FORK = 'fork';

/** The tool that every agent has which may start others beside itself. */
const LIST_AGENTS = 'list_agents';

/**
 * The tools that an agent's file can name, and the members of their groups. `src/tools` has the tools themselves, and a
 * test holds it to this list: agents are read where no tool is loaded.
 */
export const TOOL_GROUPS = {
  agents: [FORK, 'kill', LIST_AGENTS, ...MAIL, 'wait'],
  'files:read': [...GIT_TOOLS, ...READING_TOOLS],
  files: ['delete_file', 'edit_file', ...GIT_TOOLS, ...READING_TOOLS, 'write_file'],
  mail: MAIL,
} as const;

/** Tools whose calls are planned, with no function that carries them out. */
export const PLANNED_NAMES: readonly string[] = [
  'call_agent',
  'delegate_task',
  'spawn_agent',
  'sub_agent',
  'ask_user',
  FORK,
  'wait',
];

/** Those that start sub-agents with a budget of their own: `[sub_agent]` sets it. */
export const SPAWNING_TOOLS = ['delegate_task', 'spawn_agent'] as const;

/** Whether a tool starts sub-agents with a budget of their own. */
export function isSpawning(name: string): boolean {
  return SPAWNING_TOOLS.some((spawning) => spawning === name);
}

/** Whether a tool reads a repository. */
export function isOfGit(name: string): boolean {
  return GIT_TOOLS.some((tool) => tool === name);
}

export const TOOL_NAMES = [
  ...TOOL_GROUPS.files,
  ...TOOL_GROUPS.agents,
  'ask_user',
  ...SPAWNING_TOOLS,
  'sub_agent',
  'fetch_url',
  'run_command',
  'web_search',
] as const;

/** The words that may stand under `tools`. */
export const TOOL_WORDS: readonly string[] = [...Object.keys(TOOL_GROUPS), ...TOOL_NAMES];

/** The tools of ours that an agent's file brings, each once: none that has the name of one of its functions. */
export function ownTools({ tools, skills, memory, functions, subAgents, background }: Bringing): string[] {
  const taken = new Set(functions.filter(({ isOffered = true }) => isOffered).map(({ name }) => name));
  const words = [
    ...tools,
    ...(skills.length > 0 ? SKILL_TOOLS : []),
    ...(memory.search ? MEMORY_TOOLS : []),
    ...(background !== false && subAgents.length > 0 ? [LIST_AGENTS] : []),
  ];
  return toolsNamed(words).filter((name) => !taken.has(name));
}

/** The part of an agent that brings tools. */
interface Bringing {
  tools: readonly string[];
  skills: readonly string[];
  memory: { search: boolean };
  functions: readonly { name: string; isOffered?: false }[];
  subAgents: readonly string[];
  background: boolean | 'always';
}

/** The tools that the words under `tools` stand for, each once, in alphabetical order. */
export function toolsNamed(written: readonly string[]): string[] {
  const groups: Record<string, readonly string[]> = TOOL_GROUPS;
  const brought = written.includes(FORK) ? TOOL_GROUPS.agents : [];
  return [...new Set([...written.flatMap((word) => groups[word] ?? [word]), ...brought])].sort();
}
