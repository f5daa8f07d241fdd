import { fileTool } from '../files/file-tool.ts';
import { folderArgument, integerArgument } from '../typed-arguments.ts';
import { pathspec, repositoryOf, shown } from './git-tool.ts';

const USUAL_COMMITS = 20;
const MAX_COMMITS = 200;

/** `git_log`: the newest commits of the repository that the workdir is, without their contents. */
export const gitLogTool = fileTool({
  name: 'git_log',
  description:
    'List the newest commits of the git repository, newest first, one a line: id, date, author and subject. ' +
    'git_diff shows what a commit changed.',
  parameters: {
    path: { type: 'string', description: 'Only commits that changed this file or folder' },
    limit: { type: 'integer', description: 'How many commits; default 20, at most 200' },
  },
  required: [],
  seconds: 60,
  async run(args, context) {
    const limit = Math.min(
      MAX_COMMITS,
      integerArgument(args, 'limit', { least: 1, fallback: USUAL_COMMITS }),
    );
    const real = await context.workspace.realPath(folderArgument(args));
    const options = [`--max-count=${limit}`, '--format=%h %as %an: %s', '--no-color', '--no-decorate'];
    const asked = ['log', ...options, '--no-show-signature', '--no-mailmap', '--end-of-options', '--'];
    return shown(
      await repositoryOf(context).git([...asked, ...pathspec(real)], context.signal),
      '(no commit changed it)',
    );
  },
});
