import type { GitOutput, Repository } from '../../core/agent-schema/workspace.ts';
import { RefusedCall } from '../../core/tool-contracts/arguments.ts';
import type { ToolContext } from '../../core/tool-contracts/tool.ts';

/** @throws {RefusedCall} where the workdir is no repository any more */
export function repositoryOf({ workspace }: Pick<ToolContext, 'workspace'>): Repository {
  const repository = workspace.repository?.();
  if (repository === undefined) throw new RefusedCall('the working directory is not a git repository');
  return repository;
}

/** A path as git takes it, as it is written and never as a pattern; the whole workdir is no path. */
export function pathspec(real: string, kind = 'top'): string[] {
  return real === '' ? [] : [`:(${kind},literal)${real}`];
}

/** @param nothing in place of an empty text */
export function shown({ text, isCut }: GitOutput, nothing: string): { text: string } {
  if (text === '') return { text: nothing };
  return { text: isCut ? `${text}\n(too long to be shown whole: name a path)` : text };
}
