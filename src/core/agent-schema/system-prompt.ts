import { extname } from 'node:path';
import type { ContextFile } from './context-files.ts';

export interface SystemPromptParts {
  systemPrompt: string;
  skill: string;
  /** The catalogue of those that it may load. */
  skills?: string;
  files: readonly ContextFile[];
  /** Instructions of the agent's servers, as they are shown to the model. */
  servers?: string;
}

/**
 * Puts the system prompt together, all but the memory. A part that is empty is not there at all, its separator
 * included.
 */
export function buildSystemPrompt({
  systemPrompt,
  skill,
  skills = '',
  files,
  servers = '',
}: SystemPromptParts): string {
  return [
    systemPrompt,
    part('Skill', skill),
    part('Skills', skills),
    part('Context Files', files.map(toSection).join('\n\n')),
    part('Servers', servers),
  ].join('');
}

/**
 * The whole system prompt of one run.
 * @param memory entries of the agent's memory, as they are shown to the model; "" for none
 */
export function withMemory(systemPrompt: string, memory: string): string {
  return systemPrompt + part('Memory', memory);
}

/**
 * Where the part `memory` of a system prompt may begin, if it has one, with the text in it: other parts may look like
 * it.
 */
export function possibleMemories(system: string): { at: number; text: string }[] {
  const heading = headingOf('Memory');
  const found: { at: number; text: string }[] = [];
  for (let at = system.indexOf(heading); at >= 0; at = system.indexOf(heading, at + 1)) {
    found.push({ at, text: system.slice(at + heading.length) });
  }
  return found;
}

function part(title: string, text: string): string {
  return text === '' ? '' : `${headingOf(title)}${text}`;
}

function headingOf(title: string): string {
  return `\n\n---\n\n## ${title}\n\n`;
}

/** A text stands unchanged between two fences that are longer than any in it. */
export function toSection({ path, text, attachment }: ContextFile): string {
  if (attachment !== undefined) return `### ${path}\n${text}`;
  // There may be more of them than a call can have arguments.
  const longest = (text.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  const extension = extname(path).slice(1);
  const tag = /^[\w+#-]+$/.test(extension) ? extension : '';
  return `### ${path}\n${fence}${tag}\n${text}\n${fence}`;
}
