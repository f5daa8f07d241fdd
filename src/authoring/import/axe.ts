import * as v from 'valibot';
import { outputSchema } from '../../core/agent-schema/output-schema.ts';
import { AGENT_KEYS } from '../loading/agent-keys.ts';
import { TOOL_NAMES } from '../../core/agent-schema/tool-names.ts';
import { isTable, type TomlTable } from '../../parse-toml.ts';
import { namesOf, notesOf, type AgentTable, type AgentDraft, type Format } from './draft.ts';
import { Grants, type Vocabulary } from './grants.ts';
import type { Keys, Note } from './keys.ts';
import type { Project } from './project.ts';
import { readToml } from './read-keys.ts';
import { readServer } from './servers.ts';
import { defined } from '../../defined.ts';

const TOOLS: Vocabulary = {
  ...Object.fromEntries(TOOL_NAMES.map((name) => [name, [name]])),
  url_fetch: ['fetch_url'],
  web_search: [],
};

/** Agents of axe, whose files are written like those of Cadre: https://github.com/jrswab/axe */
export const axe: Format = {
  name: 'axe',
  agents: [],
  skills: ['skills'],
  model: 'anthropic/claude-sonnet-5-5',

  isAgent: (path, text) =>
    path.endsWith('.toml') && /^name\s*=/m.test(text) && /^model\s*=\s*["'][^"'/]+\//m.test(text),

  async read(project, paths) {
    const drafts: AgentDraft[] = [];
    for (const path of paths) drafts.push(await readAgent(project, path));
    return { drafts, notes: [] };
  },
};

async function readAgent(project: Project, path: string): Promise<AgentDraft> {
  const keys = await readToml(path, project.read(path) ?? '');
  const notes: Note[] = [];
  const model = keys.text('model');
  const calls = keys.list('sub_agents') ?? [];
  const grants = new Grants(TOOLS);
  for (const [index, word] of (keys.list('tools') ?? []).entries()) {
    const refusal = grants.give(word);
    if (refusal !== undefined) notes.push(keys.note(refusal, 'tools', index));
  }
  const servers = serversOf(keys, notes);
  const output = outputOf(keys, notes);
  const copied = withoutZero(copyKnown(keys, AGENT_KEYS));
  return {
    file: path,
    names: namesOf(keys, path),
    ...defined({ model }),
    agent: {
      ...copied,
      ...defined({ output }),
      ...grants.toTable('auto', false),
      ...(servers.length > 0 && { mcp_servers: servers }),
    },
    calls,
    isCallable: true,
    ...notesOf(keys, notes),
  };
}

/**
 * `response_format` of `[params]`: a type, or a table with a type and a schema. Cadre has schemas only.
 * @returns the form of the answer; undefined if it may have any
 */
function outputOf(keys: Keys, notes: Note[]): AgentTable['output'] {
  const params = keys.table('params');
  const written = params?.take('response_format');
  const { type, schema } = isTable(written) ? written : { type: written };
  if (type === undefined || type === 'text') return undefined;
  if (type === 'json_object') return { schema: { type: 'object' } };
  const output = { schema };
  if (type === 'json_schema' && isTable(schema) && v.is(outputSchema, output)) return { schema };
  const text = 'the answer may have any form: response_format has no schema of an object';
  if (params !== undefined) notes.push(params.note(text, 'response_format'));
  return undefined;
}

function serversOf(keys: Keys, notes: Note[]) {
  const items = keys.take('mcp_servers');
  return (Array.isArray(items) ? items : []).flatMap((_: unknown, index) => {
    const item = keys.item('mcp_servers', index);
    if (item === undefined) return [];
    const server = readServer(item.text('name') ?? `server-${index + 1}`, item);
    notes.push(...server.notes, ...item.dropped());
    if (!('table' in server)) return [];
    // A run of axe fails, as one of Cadre does, if a server does not answer.
    const { required: _required, ...table } = server.table;
    return [table];
  });
}

/** With axe, a temperature of 0 is none. */
function withoutZero({ params, ...rest }: AgentTable): AgentTable {
  if (params?.temperature !== 0) return { ...rest, ...defined({ params }) };
  const { temperature: _temperature, ...others } = params;
  return Object.keys(others).length === 0 ? rest : { ...rest, params: others };
}

/** The keys that Cadre has too. Their values are checked with the agent, like those of any other. */
function copyKnown(keys: Keys, known: TomlTable): AgentTable {
  const copied: TomlTable = {};
  for (const [key, inside] of Object.entries(known)) {
    if (['name', 'model', 'sub_agents', 'tools', 'mcp_servers'].includes(key)) continue;
    const table = isTable(inside) ? keys.table(key) : undefined;
    const value = table === undefined ? keys.take(key) : copyKnown(table, isTable(inside) ? inside : {});
    const isEmpty = isTable(value) && Object.keys(value).length === 0;
    if (value !== undefined && !isEmpty) copied[key] = value;
  }
  return copied;
}
