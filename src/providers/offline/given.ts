import * as v from 'valibot';
import type { ModelRequest } from '../../core/model/model.ts';
import { resultsIn, type ToolDefinition, type ToolResult } from '../../core/records/message.ts';
import { sentenceCount } from './passages.ts';

/** A request's contents, taken apart for a model that only picks sentences. */
export interface Given {
  /** The task; "" where only material was given. */
  task: string;
  /** The text to pick from; "" if there is none. */
  material: string;
  /** The agent's role: its system prompt without the files and the memory that it carries. */
  role: string;
  /** Whether its agents read the same text anyway: it is told not to copy it. */
  isShared: boolean;
  /** Results of the calls made since the user spoke; undefined before the first answer. */
  results: ToolResult[] | undefined;
}

/** Above what a caller passed along, and above the input that a sub-agent reads by reference. */
const TEXTS = /\n\n(?:Context|Input):\n/;
const FILES = '\n\n---\n\n## Context Files\n\n';
const MEMORY = '\n\n---\n\n## Memory\n\n';
/** A file's text stands between two fences that are longer than any in it. */
const FENCED = /^(`{3,})\S*\n([\s\S]*?)\n\1$/gm;

const NO_COPIES = /\bdo not copy\b/i;

/** A message of at least this many sentences with no material beside it is material itself. */
const SENTENCES_OF_MATERIAL = 2;

export function givenBy(request: ModelRequest): Given {
  const spoken = request.messages.findLastIndex(({ role }) => role === 'user');
  const newest = request.messages[spoken];
  const [message = '', ...texts] = newest?.role === 'user' ? newest.text.split(TEXTS) : [];
  const [role, sections] = cutAt(withoutMemory(request.system), FILES);
  const files = [...sections.matchAll(FENCED)].map(([, , text]) => text).join('\n\n');
  const task = message.replace(/^Task: /, '');
  const material = [...texts, files].filter((text) => text.trim() !== '').join('\n\n');
  const alone = material === '' && sentenceCount(task) >= SENTENCES_OF_MATERIAL;
  const after = request.messages.slice(spoken + 1);
  return {
    task: alone ? '' : task,
    material: alone ? task : material,
    role,
    isShared: NO_COPIES.test(role),
    results: after.length === 0 ? undefined : resultsIn(after),
  };
}

/** The part of a tool's schema that says whom it may call. */
const takesAgent = v.object({
  properties: v.object({
    agent: v.object({ description: v.optional(v.string(), ''), enum: v.optional(v.array(v.string())) }),
  }),
});

/** The names that a tool's `agent` parameter takes: its `enum`, else the words that its description lists. */
export function agentNames(tool: ToolDefinition | undefined): string[] {
  const { success, output } = v.safeParse(takesAgent, tool?.parameters);
  if (!success) return [];
  const { agent } = output.properties;
  const listed = /must be one of: ([^)]*)/.exec(agent.description)?.[1]?.split(', ') ?? [];
  return [...new Set(agent.enum ?? listed)];
}

/** Memory comes last. An earlier pick is neither material nor a reason to pick it again. */
function withoutMemory(system: string): string {
  const start = system.lastIndexOf(MEMORY);
  return start === -1 ? system : system.slice(0, start);
}

function cutAt(text: string, separator: string): [before: string, after: string] {
  const index = text.indexOf(separator);
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + separator.length)];
}
