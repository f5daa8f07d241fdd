import { WorkspaceError, type Workspace } from '../agent/workspace.ts';
import { namesTool, parseRule } from '../agent/permission-rule.ts';
import type { ToolRules } from '../runs/call.ts';

/**
 * A workspace without the files that an agent may not read: what rules keep from `read_file`, no other tool shows.
 * Their names can still be seen in a list of their folder.
 */
export async function withoutDenied(workspace: Workspace, rules: ToolRules | undefined): Promise<Workspace> {
  const patterns = [...(rules?.deny ?? []), ...(rules?.ask ?? [])].flatMap((written) => {
    const rule = parseRule(written);
    return rule?.pattern !== undefined && namesTool(rule, 'read_file') ? [rule.pattern] : [];
  });
  if (patterns.length === 0) return workspace;
  const { matchesPath } = await import('../agent/path-rule.ts');
  const isDenied = (path: string) => patterns.some((pattern) => matchesPath(pattern, path));
  const { findCandidates } = workspace;
  return {
    ...workspace,
    async *list(enter, folder) {
      for await (const file of workspace.list(enter, folder)) if (!isDenied(file.path)) yield file;
    },
    async read(path, range) {
      if (isDenied(path) || isDenied(await workspace.realPath(path))) {
        throw new WorkspaceError('failed', path, 'a rule of this agent denies it');
      }
      return workspace.read(path, range);
    },
    ...(findCandidates !== undefined && {
      findCandidates: async (query, signal) =>
        (await findCandidates.call(workspace, query, signal))?.filter((path) => !isDenied(path)),
    }),
  };
}
