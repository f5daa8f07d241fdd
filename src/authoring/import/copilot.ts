import { ChosenServers } from './chosen-servers.ts';
import { LONG_RUN, namesOf, notesOf, type AgentDraft, type Format } from './draft.ts';
import { Grants, type Vocabulary } from './grants.ts';
import type { Keys, Note } from './keys.ts';
import { instructionsOf, type Project } from './project.ts';
import { readJson, readMarkdown } from './read-keys.ts';
import { readServers, type ReadServer } from './servers.ts';
import { defined } from '../../defined.ts';

const INSTRUCTIONS = ['.github/copilot-instructions.md', 'AGENTS.md'];

/**
 * The aliases of https://docs.github.com/copilot/reference/custom-agents-configuration, and the tools of VS Code under
 * their old names and, behind the slash, their new ones:
 * https://code.visualstudio.com/docs/copilot/reference/copilot-vscode-features
 */
const TOOLS: Vocabulary = {
  read: ['list_directory', 'read_file'],
  search: ['glob', 'grep'],
  edit: ['edit_file', 'write_file'],
  execute: ['run_command'],
  web: ['fetch_url'],
  bash: ['run_command'],
  powershell: ['run_command'],
  shell: ['run_command'],
  terminal: ['run_command'],
  view: ['list_directory', 'read_file'],
  grep: ['grep'],
  glob: ['glob'],
  write: ['edit_file', 'write_file'],
  multiedit: ['edit_file', 'write_file'],
  codebase: ['glob', 'grep', 'read_file'],
  createfile: ['write_file'],
  editfiles: ['edit_file', 'write_file'],
  fetch: ['fetch_url'],
  webfetch: ['fetch_url'],
  filesearch: ['glob'],
  textsearch: ['grep'],
  listdirectory: ['list_directory'],
  readfile: ['read_file'],
  runcommands: ['run_command'],
  runinterminal: ['run_command'],
  runterminal: ['run_command'],
  askquestions: ['ask_user'],
  ...Object.fromEntries(
    [
      'changes',
      'createAndRunTask',
      'createDirectory',
      'editNotebook',
      'extensions',
      'findTestFiles',
      'getTaskOutput',
      'getTerminalOutput',
      'githubRepo',
      'memory',
      'new',
      'notebookEdit',
      'notebookRead',
      'openSimpleBrowser',
      'problems',
      'runNotebooks',
      'runTask',
      'runTasks',
      'runTests',
      'searchResults',
      'terminalLastCommand',
      'terminalSelection',
      'testFailure',
      'think',
      'todo',
      'todos',
      'todoWrite',
      'usages',
      'vscode',
      'vscodeAPI',
      'webSearch',
    ].map((name) => [name.toLowerCase(), []]),
  ),
};

/** Sets of VS Code's own tools, which are written like the tools of a server: `search/codebase`. */
const SETS = /^(agent|edit|execute|read|search|todo|vscode|web)\//;
const CALLING = /^(agent|custom-agent|task|runsubagent|agent\/runsubagent)$/i;
const ALL = ['read', 'search', 'edit', 'execute'];

/** Custom agents of GitHub Copilot and VS Code, and the chat modes that came before them. */
export const copilot: Format = {
  name: 'copilot',
  agents: ['.github/agents/**/*.md', '.github/chatmodes/**/*.chatmode.md'],
  skills: ['.github/skills'],
  model: 'anthropic/claude-sonnet-5-5',

  isAgent: (path) => /\.(agent|chatmode)\.md$/.test(path),

  read(project, paths) {
    const notes: Note[] = [];
    const servers = readProjectServers(project, notes);
    return Promise.resolve({ drafts: paths.map((path) => readAgent(project, path, servers)), notes });
  },
};

function readAgent(project: Project, path: string, shared: ReadonlyMap<string, ReadServer>): AgentDraft {
  const { keys, body } = readMarkdown(path, project.read(path) ?? '');
  const notes: Note[] = [];
  const own = readServers(keys.table('mcp-servers'), {}, notes);
  const servers = new ChosenServers(new Map([...shared, ...own]));
  const grants = new Grants(TOOLS);

  const words = keys.tools('tools');
  const isEverything = words === undefined || words.includes('*');
  if (isEverything) servers.addEach();
  const mayCall = words?.some((word) => CALLING.test(word)) === true;
  for (const [index, word] of (isEverything ? ALL : words).entries()) {
    if (CALLING.test(word)) continue;
    const refusal = giveTool(word, grants, servers);
    if (refusal !== undefined) notes.push(keys.note(refusal, 'tools', index));
  }
  // An agent that lists agents may call them, whether or not the tool for it is listed too.
  const agents = keys.list('agents');
  const [model, ...others] = keys.list('model') ?? [];
  if (others.length > 0) notes.push(keys.note(`only the first is taken: ${others.join(', ')}`, 'model'));
  const isCallable = keys.flag('disable-model-invocation') !== true && keys.flag('infer') !== false;
  const description = keys.text('description');

  return {
    file: path,
    names: namesOf(keys, path),
    ...defined({ model }),
    agent: {
      ...defined({ description }),
      system_prompt: body,
      ...instructionsOf(project, INSTRUCTIONS, notes),
      ...grants.toTable('ask', !servers.isEmpty),
      timeout: LONG_RUN,
      ...servers.toTable(),
    },
    calls: agents?.includes('*') === true || (mayCall && agents === undefined) ? 'all' : (agents ?? []),
    isCallable,
    ...notesOf(keys, notes),
  };
}

/** A tool, a tool of one of VS Code's sets, or one of a server: `read`, `search/codebase`, `github/create_issue`. */
function giveTool(word: string, grants: Grants, servers: ChosenServers): string | undefined {
  const slash = word.indexOf('/');
  if (SETS.test(word)) return grants.give(word.slice(slash + 1));
  if (slash > 0) return servers.add(word.slice(0, slash), word.slice(slash + 1));
  return servers.addAll(word) === undefined ? undefined : grants.give(word);
}

/** Servers of VS Code: https://code.visualstudio.com/docs/copilot/reference/mcp-configuration */
function readProjectServers({ read }: Project, notes: Note[]): Map<string, ReadServer> {
  const text = read('.vscode/mcp.json');
  const keys: Keys | undefined = text === undefined ? undefined : readJson('.vscode/mcp.json', text);
  const table = keys?.table('servers');
  const servers = readServers(table, {}, notes);
  notes.push(...(table?.dropped() ?? []));
  return servers;
}
