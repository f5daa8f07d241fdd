import { ChosenServers } from './chosen-servers.ts';
import {
  limits,
  LONG_RUN,
  namesOf,
  notesOf,
  type AgentTable,
  type AgentDraft,
  type Format,
} from './draft.ts';
import { Grants, type Vocabulary } from './grants.ts';
import type { Keys, Note } from './keys.ts';
import { instructionsOf, type Project } from './project.ts';
import { readJson, readMarkdown, type Markdown } from './read-keys.ts';
import { readServers, type ReadServer } from './servers.ts';
import { defined } from '../../defined.ts';

const SETTINGS = '.gemini/settings.json';
const EXTENSION = 'gemini-extension.json';
/** In milliseconds: https://geminicli.com/docs/tools/mcp-server/ */
const DIALECT = { timeout: 1000 };
/** The minutes of an agent that sets no limit: https://geminicli.com/docs/core/subagents/ */
const MINUTES = 10;

/** https://geminicli.com/docs/reference/tools/ */
const TOOLS: Vocabulary = {
  read_file: ['read_file'],
  read_many_files: ['glob', 'read_file'],
  list_directory: ['list_directory'],
  glob: ['glob'],
  grep_search: ['grep'],
  search_file_content: ['grep'],
  write_file: ['write_file'],
  replace: ['edit_file'],
  run_shell_command: ['run_command'],
  shelltool: ['run_command'],
  web_fetch: ['fetch_url'],
  ask_user: ['ask_user'],
  ...Object.fromEntries(
    [
      'activate_skill',
      'cli_help',
      'codebase_investigator',
      'complete_task',
      'enter_plan_mode',
      'exit_plan_mode',
      'generalist',
      'get_internal_docs',
      'google_web_search',
      'save_memory',
      'write_todos',
    ].map((name) => [name, []]),
  ),
};
const ALL = [
  'read_many_files',
  'list_directory',
  'grep_search',
  'write_file',
  'replace',
  'run_shell_command',
];

/** The settings of a project's settings.json for all its agents. */
interface Shared {
  keys?: Keys;
  servers: ReadonlyMap<string, ReadServer>;
  /** The tools of Gemini CLI that there are, with or without patterns; absent: all. */
  core?: readonly string[];
  /** Tools that no agent has. */
  excluded: readonly string[];
}

/** Agents of Gemini CLI, the one that a project's GEMINI.md makes, and those that extensions make. */
export const gemini: Format = {
  name: 'gemini',
  agents: ['.gemini/agents/**/*.md', 'GEMINI.md', EXTENSION, `.gemini/extensions/*/${EXTENSION}`],
  skills: ['.gemini/skills'],
  model: 'gemini/gemini-2.5-pro',

  isAgent: (path, text) =>
    path.endsWith(EXTENSION) ||
    path.endsWith('GEMINI.md') ||
    (path.endsWith('.md') && /^---\r?\n(?:.*\r?\n)*?(kind|max_turns|timeout_mins):/.test(text)),

  read(project, paths) {
    const notes: Note[] = [];
    const shared = readShared(project, notes);
    const drafts = paths.flatMap((path) => {
      const text = project.read(path) ?? '';
      if (path.endsWith(EXTENSION)) return [readExtension(project, path, shared)];
      if (path.endsWith('GEMINI.md')) return [readMain(project, path, shared)];
      const markdown = readMarkdown(path, text);
      if (markdown.keys.text('kind') === 'remote') {
        notes.push(markdown.keys.note('no agent: it runs elsewhere', 'kind'));
        return [];
      }
      if (markdown.keys.names.length > 0) return [readAgent(project, path, markdown, shared)];
      notes.push(markdown.keys.note('no agent: it has no front matter'));
      return [];
    });
    return Promise.resolve({ drafts, notes });
  },
};

function readAgent(project: Project, path: string, { keys, body }: Markdown, shared: Shared): AgentDraft {
  const notes: Note[] = [];
  const own = new Map([
    ...readServers(keys.table('mcpServers'), DIALECT, notes),
    ...readServers(keys.table('mcp_servers'), DIALECT, notes),
  ]);
  const servers = new ChosenServers(new Map([...shared.servers, ...own]));
  const grants = new Grants(TOOLS, { areCommandsPrefixes: true });
  const words = keys.tools('tools');
  for (const [index, word] of (words ?? ['*']).entries()) {
    const refusal = giveTool(word, grants, servers, shared);
    if (refusal !== undefined) notes.push(keys.note(refusal, 'tools', index));
  }
  for (const name of own.keys())
    if (words?.some((word) => word.includes(name)) !== true) servers.addAll(name);
  takeTools(shared.excluded, grants, servers);
  const description = keys.text('description');
  const model = keys.text('model');
  const minutes = keys.number('timeout_mins') || MINUTES;
  return {
    file: path,
    names: namesOf(keys, path),
    ...defined({ model }),
    agent: {
      ...defined({ description }),
      system_prompt: body,
      ...instructionsOf(project, ['GEMINI.md', 'AGENTS.md'], notes),
      ...grants.toTable('ask', !servers.isEmpty),
      timeout: Math.ceil(minutes * 60),
      ...limits({ temperature: keys.number('temperature'), turns: keys.number('max_turns') }),
      ...servers.toTable(),
    },
    // An agent of Gemini CLI can call no other.
    calls: [],
    isCallable: true,
    ...notesOf(keys, notes),
  };
}

/** The agent that a user talks to in a project: it can call all the others. */
function readMain(project: Project, path: string, shared: Shared): AgentDraft {
  const notes: Note[] = [];
  const instructions = instructionsOf(project, [path, 'AGENTS.md'], notes);
  const model = shared.keys?.table('model')?.text('name') ?? shared.keys?.text('model');
  return {
    file: path,
    names: ['gemini'],
    ...defined({ model }),
    agent: {
      system_prompt: instructions.files === undefined ? (project.read(path) ?? '') : '',
      ...instructions,
      ...everything(shared, shared.servers),
    },
    calls: 'all',
    isCallable: false,
    notes: instructions.files === undefined ? [] : notes,
    note: (text) => ({ file: path, line: 1, text }),
  };
}

/** An extension's own agent: its instructions and its servers. https://geminicli.com/docs/extensions/reference/ */
function readExtension(project: Project, path: string, shared: Shared): AgentDraft {
  const keys = readJson(path, project.read(path) ?? '');
  const notes: Note[] = [];
  const folder = path.slice(0, -EXTENSION.length);
  const servers = readServers(keys.table('mcpServers'), DIALECT, notes);
  const contexts = keys.list('contextFileName') ?? ['GEMINI.md'];
  const prompt = contexts.map((name) => project.read(folder + name) ?? '').join('\n');
  const description = keys.text('description');
  const excluded = [...shared.excluded, ...(keys.list('excludeTools') ?? [])];
  return {
    file: path,
    names: [keys.text('name') ?? 'extension'],
    agent: {
      ...defined({ description }),
      system_prompt: prompt,
      ...everything({ ...shared, excluded }, servers),
    },
    calls: [],
    isCallable: true,
    ...notesOf(keys, notes),
  };
}

function everything(shared: Shared, known: ReadonlyMap<string, ReadServer>): AgentTable {
  const servers = new ChosenServers(known);
  const grants = new Grants(TOOLS, { areCommandsPrefixes: true });
  giveTool('*', grants, servers, shared);
  takeTools(shared.excluded, grants, servers);
  return { ...grants.toTable('ask', !servers.isEmpty), timeout: LONG_RUN, ...servers.toTable() };
}

/** A tool, everything, or tools of servers: `read_file`, `*`, `mcp_*`, `mcp_docs_search`, `docs__search`. */
function giveTool(
  word: string,
  grants: Grants,
  servers: ChosenServers,
  { core }: Shared,
): string | undefined {
  if (word === '*') for (const each of core ?? ALL) grants.give(each);
  if (word === '*' || word === 'mcp_*') {
    servers.addEach();
    return undefined;
  }
  const inside = word.startsWith('mcp_') ? word.slice('mcp_'.length) : word;
  const found = servers.split(inside, ['__', '_']);
  if (found !== undefined) return servers.add(found.server, found.tool);
  if (core === undefined || core.includes(word)) return grants.give(word);
  const limited = core.filter((each) => each.startsWith(`${word}(`));
  for (const each of limited) grants.give(each);
  return limited.length > 0 ? undefined : `not one of tools.core in ${SETTINGS}, left out: ${word}`;
}

function takeTools(words: readonly string[], grants: Grants, servers: ChosenServers): void {
  for (const word of words) {
    const found = servers.split(word.replace(/^mcp_/, ''), ['__', '_']);
    if (found === undefined) grants.take(word);
    else if (found.tool === '*') servers.remove(found.server);
    else grants.addRules('deny', servers.rule(found.server, found.tool));
  }
}

function readShared({ read }: Project, notes: Note[]): Shared {
  const text = read(SETTINGS);
  if (text === undefined) return { servers: new Map(), excluded: [] };
  const keys = readJson(SETTINGS, text);
  const tools = keys.table('tools');
  const table = keys.table('mcpServers');
  const servers = readServers(table, DIALECT, notes);
  notes.push(...(table?.dropped() ?? []));
  const mcp = keys.table('mcp');
  const wanted = mcp?.list('allowed') ?? [...servers.keys()];
  const unwanted = mcp?.list('excluded') ?? [];
  for (const name of servers.keys()) {
    if (!wanted.includes(name) || unwanted.includes(name)) servers.delete(name);
  }
  const core = tools?.tools('core') ?? keys.tools('coreTools');
  const excluded = [...(keys.list('excludeTools') ?? []), ...(tools?.list('exclude') ?? [])];
  return { keys, servers, ...defined({ core }), excluded };
}
