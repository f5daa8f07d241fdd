import { posix } from 'node:path';
import { matchesStars } from '../../core/agent-schema/permission-rule.ts';
import { ChosenServers } from './chosen-servers.ts';
import {
  baseName,
  effortOf,
  isCommand,
  limits,
  LONG_RUN,
  notesOf,
  type AgentDraft,
  type Format,
} from './draft.ts';
import { Grants } from './grants.ts';
import type { Keys, Note } from './keys.ts';
import { REASONING_EFFORTS } from '../../core/records/message.ts';
import {
  applyRules,
  DEFAULT_RULES,
  NOTHING,
  permissionRules,
  rulesFor,
  toolRules,
} from './opencode-permissions.ts';
import type { OpencodeRule } from './opencode-permissions.ts';
import { instructionsOf, type Project } from './project.ts';
import { readJson, readMarkdown, type Markdown } from './read-keys.ts';
import { readServers, type ReadServer } from './servers.ts';
import { defined } from '../../defined.ts';

const CONFIGS = ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'];

/** The settings of a project's configuration for all its agents. */
interface Shared {
  model?: string;
  rules: readonly OpencodeRule[];
  servers: ReadonlyMap<string, ReadServer>;
  /** Files that all agents are shown. */
  instructions: readonly string[];
}

/**
 * Agents of opencode, in files of their own and in its configuration: https://opencode.ai/docs/agents/ and
 * /v2/docs/agents
 */
export const opencode: Format = {
  name: 'opencode',
  agents: ['.opencode/{agent,agents,mode,modes}/**/*.md', ...CONFIGS],
  skills: ['.opencode/skill', '.opencode/skills'],
  model: 'anthropic/claude-sonnet-5-5',

  isAgent: (path, text) =>
    CONFIGS.includes(posix.basename(path)) ||
    (path.endsWith('.md') &&
      /^---\r?\n(?:.*\r?\n)*?(mode: *['"]?(primary|subagent|all)\b|permission:|tools:[ \t]*\r?\n +["'*\w]+:)/.test(
        text,
      )),

  read(project, paths) {
    const notes: Note[] = [];
    const shared = readShared(project, paths, notes);
    const drafts = paths.flatMap((path) => {
      const text = project.read(path) ?? '';
      if (path.endsWith('.md')) {
        const isMode = /(^|\/)modes?\//.test(path);
        const written = { path, name: baseName(path), isMode, ...readMarkdown(path, text) };
        if (isCommand(path, written.keys)) {
          notes.push(written.keys.note('no agent: it is a slash command'));
          return [];
        }
        return readAgent(project, written, shared, notes);
      }
      const config = readJson(path, text);
      return ['agent', 'agents', 'mode'].flatMap((key) => {
        const agents = config.table(key);
        return (agents?.names ?? []).flatMap((name) => {
          const keys = agents?.table(name);
          const written = keys && { path, name, isMode: key === 'mode', keys, body: '' };
          return written === undefined ? [] : readAgent(project, written, shared, notes);
        });
      });
    });
    return Promise.resolve({ drafts, notes });
  },
};

/** An agent as it is written, in a file of its own or in the configuration. */
interface WrittenAgent extends Markdown {
  path: string;
  name: string;
  /** Whether it is one of the modes that there were before agents, which people choose and no agent calls. */
  isMode: boolean;
}

function readAgent(
  project: Project,
  { path, name, isMode, keys, body }: WrittenAgent,
  shared: Shared,
  left: Note[],
): AgentDraft[] {
  if (keys.flag('disable') === true || keys.flag('disabled') === true) {
    left.push(keys.note(`no agent: ${name} is switched off`));
    return [];
  }
  const notes: Note[] = [];
  const own = rulesIn(keys, notes);
  const rules = [...DEFAULT_RULES, ...shared.rules, ...own];
  const grants = new Grants({});
  const { mode, refusals } = applyRules(rules, grants);
  notes.push(...refusals.map((refusal) => keys.note(refusal, 'permission')));
  const servers = chooseServers(rules, shared.servers, grants, mode);
  notes.push(
    ...unknownTools(own, shared.servers).map((tool) =>
      keys.note(`unknown tool, left out: ${tool}`, 'tools', tool),
    ),
  );

  const kind = keys.text('mode') ?? (isMode ? 'primary' : 'all');
  const calling = (kind === 'subagent' ? own : rules).filter(({ tool }) => matchesStars(tool, 'task'));
  const description = keys.text('description');
  const [model, variant] = (keys.text('model') ?? shared.model)?.split('#') ?? [];
  const prompt = keys.textOf('prompt', 'system') ?? body;
  const effort =
    effortOf(keys, 'reasoningEffort', 'variant') ?? REASONING_EFFORTS.find((each) => each === variant);
  const temperature =
    keys.number('temperature') ?? keys.table('request')?.table('body')?.number('temperature');
  const turns = keys.number('steps') ?? keys.number('maxSteps');
  return [
    {
      file: path,
      names: [name],
      ...defined({ model }),
      agent: {
        ...defined({ description }),
        system_prompt: promptOf(project, path, prompt, keys, notes),
        ...instructionsOf(project, shared.instructions, notes),
        ...grants.toTable(mode, !servers.isEmpty),
        timeout: LONG_RUN,
        ...limits({ effort, temperature, turns }),
        ...servers.toTable(),
      },
      calls: calling.length === 0 && kind === 'subagent' ? [] : (called) => mayCall(called, calling),
      isCallable: kind !== 'primary',
      ...notesOf(keys, notes),
    },
  ];
}

/** In the words of version 1, `tools` and `permission`, and in those of version 2, `permissions`. */
function rulesIn(keys: Keys, notes: Note[]): readonly OpencodeRule[] {
  const read = ['tools', 'permission', 'permissions'].map((key) => {
    const written = keys.take(key);
    const rules = key === 'tools' ? toolRules(written) : permissionRules(written);
    if (rules === undefined) notes.push(keys.note(`cannot be read, so no tool is given: ${key}`, key));
    return rules;
  });
  // What is denied for it stays denied, whatever the other keys allow.
  return read.every((rules) => rules !== undefined) ? read.flat() : NOTHING;
}

function mayCall(name: string, rules: readonly OpencodeRule[]): boolean {
  return rules.findLast(({ pattern }) => matchesStars(pattern, name))?.action !== 'deny';
}

/** `{file:./prompts/review.txt}`, from the folder of the file that it is in, or the prompt itself. */
function promptOf(project: Project, path: string, written: string, keys: Keys, notes: Note[]): string {
  const named = /^\{file:(.+)\}$/.exec(written.trim())?.[1];
  if (named === undefined) return written;
  const text = project.read(posix.join(posix.dirname(path), named));
  if (text === undefined) notes.push(keys.note(`no such file in the project: ${named}`, 'prompt'));
  return text ?? '';
}

/** The tools of a server are called `<server>_<tool>`. */
function chooseServers(
  rules: readonly OpencodeRule[],
  known: ReadonlyMap<string, ReadServer>,
  grants: Grants,
  mode: 'auto' | 'ask',
): ChosenServers {
  const servers = new ChosenServers(known);
  for (const server of known.keys()) {
    const prefix = `${server}_`;
    // A rule that matches a tool of any name applies to all of them.
    const { otherwise } = rulesFor([`${prefix}\0`], rules);
    const named = rules
      .filter(({ tool, pattern }) => tool.startsWith(prefix) && !tool.includes('*') && pattern === '*')
      .map(({ tool, action }) => ({ tool: tool.slice(prefix.length), action }));
    if (otherwise === 'deny') {
      for (const { tool, action } of named) if (action !== 'deny') servers.add(server, tool);
    } else {
      servers.addAll(server);
    }
    if (otherwise === 'ask' || (otherwise === 'allow' && mode === 'ask')) {
      grants.addRules(otherwise, servers.rule(server, '*'));
    }
    for (const { tool, action } of named) {
      if (action !== 'allow') grants.addRules(action, servers.rule(server, tool));
    }
  }
  return servers;
}

const KNOWN =
  /^(\*|bash|codesearch|doom_loop|edit|external_directory|glob|grep|list|lsp|multiedit|patch|question|read|skill|task|todoread|todowrite|webfetch|websearch|write)$/;

/** Tools that an agent is to have, and that neither opencode nor one of the servers has. */
function unknownTools(rules: readonly OpencodeRule[], known: ReadonlyMap<string, ReadServer>): string[] {
  return rules
    .filter(({ tool, action }) => action !== 'deny' && !KNOWN.test(tool))
    .map(({ tool }) => tool)
    .filter((tool) => ![...known.keys()].some((server) => tool.startsWith(server)));
}

function readShared(project: Project, paths: readonly string[], notes: Note[]): Shared {
  const path = [...paths, ...CONFIGS].find(
    (each) => CONFIGS.includes(posix.basename(each)) && project.read(each) !== undefined,
  );
  if (path === undefined) return { rules: [], servers: new Map(), instructions: ['AGENTS.md'] };
  const keys = readJson(path, project.read(path) ?? '');
  const mcp = keys.table('mcp');
  // Version 2 has them in a table of their own.
  const table = mcp?.table('servers') ?? mcp;
  const servers = readServers(table, {}, notes);
  notes.push(...(table?.dropped() ?? []));
  const instructions = keys.list('instructions') ?? [];
  for (const [index, each] of instructions.entries()) {
    if (project.read(each) === undefined) {
      notes.push(keys.note(`no file of the project, name it in files: ${each}`, 'instructions', index));
    }
  }
  const model = keys.text('model');
  return {
    ...defined({ model }),
    rules: rulesIn(keys, notes),
    servers,
    instructions: [...new Set(['AGENTS.md', ...instructions])],
  };
}
