import { ChosenServers } from './chosen-servers.ts';
import { readOwnServers, readProjectServers } from './claude-servers.ts';
import {
  effortOf,
  EVERY_SKILL,
  isCommand,
  limits,
  LONG_RUN,
  namesOf,
  notesOf,
  type AgentDraft,
  type Format,
} from './draft.ts';
import { CLAUDE_TOOLS } from './claude-tools.ts';
import { Grants } from './grants.ts';
import type { Keys, Note } from './keys.ts';
import { instructionsOf, type Project } from './project.ts';
import { readJson, readMarkdown, type Markdown } from './read-keys.ts';
import type { ReadServer } from './servers.ts';
import { defined } from '../../defined.ts';

/** The tool with which agents load skills of their project. */
const SKILL = 'Skill';

/** The tools of an agent that names none. */
const ALL = ['Read', 'LS', 'Glob', 'Grep', 'Write', 'Edit', 'Bash'];

/** Rules of `permissions` in the settings of a project, which hold for all its agents. */
interface Settings {
  keys?: Keys;
  allow: readonly string[];
  ask: readonly string[];
  deny: readonly string[];
}

/** Agents of Claude Code: https://code.claude.com/docs/en/sub-agents */
export const claude: Format = {
  name: 'claude',
  agents: ['.claude/agents/**/*.md'],
  skills: ['.claude/skills'],
  model: 'anthropic/claude-sonnet-5-5',

  isAgent: (path, text) =>
    path.endsWith('.md') && /^---\r?\n(?=(?:.*\r?\n)*?name:)(?:.*\r?\n)*?description:/.test(text),

  read(project, paths) {
    const settings = readSettings(project);
    const notes: Note[] = [];
    const servers = readProjectServers(project, notes);
    const drafts = paths.flatMap((path) => {
      const markdown = readMarkdown(path, project.read(path) ?? '');
      const { keys } = markdown;
      const why =
        keys.names.length === 0 ? 'it has no front matter' : isCommand(path, keys) && 'it is a slash command';
      if (why === false) return [readAgent(project, path, markdown, settings, servers)];
      notes.push(keys.note(`no agent: ${why}`));
      return [];
    });
    return Promise.resolve({ drafts, notes });
  },
};

function readAgent(
  project: Project,
  path: string,
  { keys, body }: Markdown,
  settings: Settings,
  shared: ReadonlyMap<string, ReadServer>,
): AgentDraft {
  const notes: Note[] = [];
  const model = keys.text('model');
  const known = new Map(shared);
  const servers = new ChosenServers(known);
  const own = readOwnServers(keys, known, notes);

  const grants = new Grants(CLAUDE_TOOLS);
  const words = keys.tools('tools');
  const isEverything = words === undefined || words.includes('*');
  if (isEverything) servers.addEach();
  const calls: string[] = [];
  let callsAll = false;
  const refused = new Set<string>();
  for (const [index, word] of (isEverything ? ALL : words).entries()) {
    const note = (text: string | undefined) =>
      text !== undefined && notes.push(keys.note(text, 'tools', index));
    const called = calledIn(word);
    if (isCall(word) && called === undefined) callsAll = true;
    else if (called !== undefined) calls.push(...called.split(',').map((each) => each.trim()));
    else if (word === SKILL) continue;
    else if (word.startsWith('mcp__')) note(servers.add(...serverTool(word)));
    else note(grants.give(word));
  }
  for (const name of own) {
    const refusal = servers.addAll(name);
    if (refusal !== undefined) notes.push(keys.note(refusal, 'mcpServers'));
  }

  for (const word of keys.tools('disallowedTools') ?? []) {
    if (isCall(word)) refused.add(calledIn(word) ?? '*');
    else if (ALL_TOOLS.test(word)) takeAll(word, servers, grants, refused);
    else if (word.startsWith('mcp__')) deny(word, servers, grants);
    else grants.take(word);
  }
  for (const kind of ['allow', 'ask', 'deny'] as const) {
    for (const rule of settings[kind]) {
      if (isCall(rule) && kind === 'deny') refused.add(calledIn(rule) ?? '*');
      else if (ALL_TOOLS.test(rule)) {
        if (kind === 'deny') takeAll(rule, servers, grants, refused);
      } else if (rule.startsWith('mcp__')) grants.addRules(kind, servers.rule(...serverTool(rule)));
      else if (!isCall(rule) && !rule.startsWith('Skill')) grants.rule(kind, rule);
    }
  }

  const mode = keys.text('permissionMode') ?? settings.keys?.text('defaultMode') ?? 'default';
  if (mode === 'acceptEdits') grants.addRules('allow', ['edit_file', 'write_file']);
  if (mode === 'dontAsk' || mode === 'auto') {
    notes.push(keys.note(`Cadre asks in place of permissionMode ${mode}`, 'permissionMode'));
  }
  const isRefused = (called: string) => refused.has('*') || refused.has(called);
  const [skill, ...others] = keys.list('skills') ?? [];
  const skills = isEverything || words.includes(SKILL) ? [...EVERY_SKILL, ...others] : others;
  const memory = keys.text('memory') !== undefined;
  const description = keys.text('description');
  const instructions = instructionsOf(project, ['CLAUDE.md', '.claude/CLAUDE.md', 'AGENTS.md'], notes);

  const agent = {
    ...defined({ description }),
    system_prompt: body,
    ...defined({ skill }),
    skills,
    ...instructions,
    ...grants.toTable(MODES.get(mode) ?? 'ask', !servers.isEmpty),
    timeout: LONG_RUN,
    ...limits({ effort: effortOf(keys, 'effort'), turns: keys.number('maxTurns') }),
    ...(memory && { memory: { enabled: true } }),
    ...servers.toTable(),
  };
  return {
    file: path,
    names: namesOf(keys, path),
    ...defined({ model }),
    agent,
    calls: callsAll ? (called) => !isRefused(called) : calls.filter((called) => !isRefused(called)),
    isCallable: true,
    ...notesOf(keys, notes),
  };
}

const MODES: ReadonlyMap<string, 'auto' | 'ask' | 'plan'> = new Map([
  ['bypassPermissions', 'auto'],
  ['plan', 'plan'],
]);

/** `Agent`, `Agent(writer, checker)`, and `Task`, which is what it was called before. */
function isCall(word: string): boolean {
  return /^(Agent|Task)(\(.*\))?$/s.test(word);
}

function calledIn(word: string): string | undefined {
  return isCall(word) ? /\((.*)\)$/s.exec(word)?.[1] : undefined;
}

/** `mcp__docs__search` and `mcp__docs`. */
function serverTool(word: string): [server: string, tool: string] {
  const [, server = '', ...tool] = word.split('__');
  return [server, tool.join('__')];
}

/** `*` is everything that an agent may do, `mcp__*` all tools of servers. */
const ALL_TOOLS = /^(\*|mcp__\*.*)$/;

function takeAll(word: string, servers: ChosenServers, grants: Grants, refused: Set<string>): void {
  servers.clear();
  if (word !== '*') return;
  grants.tools.clear();
  refused.add('*');
}

function deny(word: string, servers: ChosenServers, grants: Grants): void {
  const [server, tool] = serverTool(word);
  if (tool === '' || tool === '*') servers.remove(server);
  else grants.addRules('deny', servers.rule(server, tool));
}

function readSettings({ read }: Project): Settings {
  const text = read('.claude/settings.json');
  const keys = text === undefined ? undefined : readJson('.claude/settings.json', text).table('permissions');
  const rules = (kind: string) => keys?.list(kind) ?? [];
  return {
    ...(keys && { keys }),
    allow: rules('allow'),
    ask: rules('ask'),
    deny: rules('deny'),
  };
}
