import type { Repository } from '../../core/agent-schema/workspace.ts';
import { WorkspaceError } from '../../core/agent-schema/workspace.ts';
import { RefusedCall } from '../../core/tool-contracts/arguments.ts';
import { fileTool } from '../files/file-tool.ts';
import { booleanArgument, folderArgument, optionalTextArgument } from '../typed-arguments.ts';
import { pathspec, repositoryOf, shown } from './git-tool.ts';

/** A branch, a tag, a commit, or one before it. What git would take for an option, a file or a search is none. */
const REF = /^(?!-)[\w./@+~^-]{1,200}$/;

/** Nothing that a diff could run or ask: programs for diffs and texts, and the state of submodules. */
const FIXED = [
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--no-renames',
  '--ignore-submodules=dirty',
  '--submodule=short',
];

/** More would not fit into the arguments of a process. */
const MOST_HIDDEN = 500;

/** `git_diff`: the changes of the repository that the workdir is. */
export const gitDiffTool = fileTool({
  name: 'git_diff',
  description:
    'Show changes in the git repository as a unified diff: what is not staged; with staged, what would be committed; ' +
    'with ref, all since that commit ("main", "HEAD~1"), or between two ("v1.0..main"; "main...HEAD" since they ' +
    'parted). New files that are not staged are left out.',
  parameters: {
    ref: { type: 'string', description: 'Branch, tag or commit to compare with, or two of them' },
    path: { type: 'string', description: 'Only changes of this file or folder' },
    staged: { type: 'boolean', description: 'Compare what is staged, and not the files as they are' },
  },
  required: [],
  seconds: 60,
  async run(args, context) {
    const { workspace, mayShow, signal } = context;
    const repository = repositoryOf(context);
    const real = await workspace.realPath(folderArgument(args));
    const staged = booleanArgument(args, 'staged');
    const ref = optionalTextArgument(args, 'ref', 400);
    const compared = ref === undefined ? [] : [await commitsOf(ref, repository, signal)];
    const diff = (options: readonly string[], paths: readonly string[]) => {
      const asked = [...options, ...FIXED, ...(staged ? ['--cached'] : []), '--end-of-options', ...compared];
      return repository.git(['diff', ...asked, '--', ...paths], signal);
    };
    const changed = await diff(['--name-only', '-z'], pathspec(real));
    const hidden = changed.text.split('\0').filter((path) => path !== '' && !mayShow(path));
    if (changed.isCut || hidden.length > MOST_HIDDEN) {
      throw new RefusedCall('too many files have changed: name a path');
    }
    const shownPaths = hidden.flatMap((path) => pathspec(path, 'exclude,top'));
    return shown(await diff([], [...pathspec(real), ...shownPaths]), '(no changes)');
  },
});

/**
 * One commit, or two with `..` or `...` between them, by their ids.
 * @throws {RefusedCall} where it is something else
 */
async function commitsOf(ref: string, repository: Repository, signal: AbortSignal): Promise<string> {
  const [, from = '', dots = '', to] = /^(.*?)(?:(\.{2,3})(.*))?$/s.exec(ref) ?? [];
  const ids = await Promise.all(
    [from, to].flatMap((each) => (each === undefined ? [] : commitOf(each || 'HEAD', repository, signal))),
  );
  return ids.join(dots);
}

async function commitOf(ref: string, repository: Repository, signal: AbortSignal): Promise<string> {
  if (!REF.test(ref)) {
    throw new RefusedCall(`argument "ref" must be a branch, a tag or a commit, not ${JSON.stringify(ref)}`);
  }
  try {
    const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
    const { text } = await repository.git(asked, signal);
    return text.trim().split('\n').at(-1) ?? '';
  } catch (thrown) {
    if (thrown instanceof WorkspaceError) throw new RefusedCall(`there is no commit ${JSON.stringify(ref)}`);
    throw thrown;
  }
}
