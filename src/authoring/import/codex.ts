import { ChosenServers } from './chosen-servers.ts';
import {
  baseName,
  effortOf,
  EVERY_SKILL,
  limits,
  LONG_RUN,
  notesOf,
  type AgentDraft,
  type Format,
} from './draft.ts';
import { Grants, type Vocabulary } from './grants.ts';
import { Keys, type Note } from './keys.ts';
import { instructionsOf, type Project } from './project.ts';
import { readToml } from './read-keys.ts';
import { readServers, type ReadServer } from './servers.ts';
import { defined } from '../../defined.ts';

const CONFIG = '.codex/config.toml';
const INSTRUCTIONS = ['AGENTS.override.md', 'AGENTS.md'];

/** Agents of Codex have no list of tools: the sandbox says what they can do. */
const TOOLS: Vocabulary = {
  read: ['glob', 'grep', 'list_directory', 'read_file'],
  write: ['delete_file', 'edit_file', 'write_file'],
  shell: ['run_command'],
};

/** The settings of a project's config.toml for all its agents. */
interface Shared {
  keys?: Keys;
  servers: ReadonlyMap<string, ReadServer>;
  /** By their files: what `[agents.<name>]` says of those that have a file. */
  roles: ReadonlyMap<string, { name: string; description?: string }>;
}

/** Agents of Codex: https://developers.openai.com/codex/subagents, and the one that a project's config.toml sets up. */
export const codex: Format = {
  name: 'codex',
  agents: ['.codex/agents/**/*.toml', CONFIG],
  skills: ['.agents/skills', '.codex/skills'],
  model: 'openai/gpt-6.1-sol',

  isAgent: (path, text) =>
    path.endsWith('AGENTS.md') || (path.endsWith('.toml') && /^developer_instructions\s*=/m.test(text)),

  async read(project, paths) {
    const notes: Note[] = [];
    const shared = await readShared(project, notes);
    const drafts: AgentDraft[] = [];
    for (const path of paths) {
      const isMain = path === CONFIG || path.endsWith('.md');
      drafts.push(isMain ? readMain(project, path, shared) : await readAgent(project, path, shared));
    }
    const dropped = paths.includes(CONFIG) ? (shared.keys?.dropped() ?? []) : [];
    return { drafts, notes: [...notes, ...dropped] };
  },
};

async function readAgent(project: Project, path: string, shared: Shared): Promise<AgentDraft> {
  const keys = await readToml(path, project.read(path) ?? '');
  const role = shared.roles.get(path);
  const notes: Note[] = [];
  const names = [keys.text('name'), role?.name, baseName(path)].filter((name) => name !== undefined);
  const description = keys.text('description') ?? role?.description;
  const prompt = keys.textOf('developer_instructions', 'instructions');
  const [skill, ...others] = skillsOf(keys);
  const servers = readServers(keys.table('mcp_servers'), {}, notes);
  const model = modelOf(keys) ?? (shared.keys && modelOf(shared.keys));
  return {
    file: path,
    names: [...new Set(names)],
    ...defined({ model }),
    agent: {
      ...defined({ description }),
      system_prompt: prompt ?? '',
      ...defined({ skill }),
      skills: skill === undefined ? EVERY_SKILL : others,
      ...instructionsOf(project, INSTRUCTIONS, notes),
      ...abilities(keys, shared, new Map([...shared.servers, ...servers]), notes),
    },
    calls: [],
    isCallable: true,
    ...notesOf(keys, notes),
  };
}

/** The agent that a user talks to in a project: it can call all the others. */
function readMain(project: Project, path: string, shared: Shared): AgentDraft {
  const notes: Note[] = [];
  const keys = shared.keys ?? new Keys({ file: path, values: {}, lineOf: () => 1 });
  const instructions = instructionsOf(project, INSTRUCTIONS, notes);
  const prompt = keys.textOf('developer_instructions', 'instructions');
  const isElsewhere = path.endsWith('.md') && instructions.files === undefined;
  const model = modelOf(keys);
  const depth = keys.table('agents')?.number('max_depth');
  return {
    file: path,
    names: ['codex'],
    ...defined({ model }),
    agent: {
      skills: EVERY_SKILL,
      system_prompt: prompt ?? (isElsewhere ? project.read(path) : undefined) ?? '',
      ...instructions,
      ...abilities(keys, shared, shared.servers, notes),
      ...(depth !== undefined && depth > 0 && { sub_agents_config: { max_depth: Math.min(5, depth) } }),
    },
    calls: 'all',
    isCallable: false,
    notes: isElsewhere ? [] : notes,
    note: (text, key) => keys.note(text, key),
  };
}

const SANDBOXES = ['read-only', 'workspace-write', 'danger-full-access'];
const APPROVALS = ['untrusted', 'on-failure', 'on-request', 'never'];

/**
 * A command that ran in a sandbox, where it could do no harm, is put before a person: ours is not on every machine.
 * https://developers.openai.com/codex/agent-approvals-security
 */
function abilities(keys: Keys, shared: Shared, known: ReadonlyMap<string, ReadServer>, notes: Note[]) {
  const setting = (key: string, values: readonly string[], least: string) => {
    const written = keys.take(key) ?? shared.keys?.take(key);
    if (written === undefined || values.some((value) => value === written)) return written;
    notes.push(keys.note(`cannot be read, so it counts as "${least}": ${key}`, key));
    return least;
  };
  const sandbox = setting('sandbox_mode', SANDBOXES, 'read-only');
  const approval = setting('approval_policy', APPROVALS, 'untrusted');
  const grants = new Grants(TOOLS);
  grants.give('read');
  const mayWrite = sandbox !== 'read-only';
  if (mayWrite) grants.give('write');
  // With no person to ask, a command that may only read cannot run here at all.
  if (mayWrite || approval !== 'never') grants.give('shell');
  if (sandbox === 'workspace-write') grants.addRules('allow', ['delete_file', 'edit_file', 'write_file']);
  const isFree = sandbox === 'danger-full-access' && approval !== 'untrusted';
  const servers = new ChosenServers(known);
  servers.addEach();
  return {
    ...grants.toTable(isFree ? 'auto' : 'ask', !servers.isEmpty),
    timeout: LONG_RUN,
    ...limits({
      effort:
        effortOf(keys, 'model_reasoning_effort') ??
        (shared.keys && effortOf(shared.keys, 'model_reasoning_effort')),
    }),
    ...servers.toTable(),
  };
}

function modelOf(keys: Keys): string | undefined {
  const provider = keys.text('model_provider') ?? 'openai';
  const model = keys.text('model');
  return model === undefined || model.includes('/') ? model : `${provider}/${model}`;
}

/** `[[skills.config]]`: those that are not switched off, by the names of their folders. */
function skillsOf(keys: Keys): string[] {
  const skills = keys.table('skills');
  const items = skills?.take('config');
  if (!Array.isArray(items)) return [];
  return items.flatMap((_: unknown, index) => {
    const item = skills?.item('config', index);
    const path = item?.textOf('path', 'name')?.replace(/\/(SKILL\.md)?$/, '');
    return path === undefined || item?.flag('enabled') === false
      ? []
      : [path.slice(path.lastIndexOf('/') + 1)];
  });
}

async function readShared({ read }: Project, notes: Note[]): Promise<Shared> {
  const text = read(CONFIG);
  if (text === undefined) return { servers: new Map(), roles: new Map() };
  const keys = await readToml(CONFIG, text);
  const agents = keys.table('agents');
  const roles = (agents?.names ?? []).flatMap((name) => {
    const role = agents?.table(name);
    const file = role?.text('config_file')?.replace(/^\.\//, '.codex/');
    const description = role?.text('description');
    return file === undefined ? [] : [[file, { name, ...defined({ description }) }] as const];
  });
  return { keys, servers: readServers(keys.table('mcp_servers'), {}, notes), roles: new Map(roles) };
}
