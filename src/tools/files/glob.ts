import { setImmediate as nextTurn } from 'node:timers/promises';
import { folderArgument, textArgument } from '../typed-arguments.ts';
import { fileTool } from './file-tool.ts';

const MAX_PATHS = 1_000;
const MAX_PATTERN = 1_000;

export const globTool = fileTool({
  name: 'glob',
  description:
    'Find files by a pattern such as "src/**/*.ts": "*" within a name, "**" for any number of folders, "{a,b}". ' +
    'Returns at most 1,000 paths, the newest first. Files that git ignores are left out.',
  parameters: {
    pattern: { type: 'string', description: 'Pattern of the paths, relative to path' },
    path: { type: 'string', description: 'Folder to look in; default: the working directory' },
  },
  required: ['pattern'],
  seconds: 60,
  async run(args, { workspace, signal }) {
    const pattern = textArgument(args, 'pattern', MAX_PATTERN);
    const start = await workspace.realPath(folderArgument(args));
    const { AT_ONCE, findFiles } = await import('./find-files.ts');
    const { pathPattern } = await import('./path-pattern.ts');
    const { matches, mayEnter } = pathPattern(pattern, start);
    const files = await findFiles({ workspace, start, named: pattern, mayEnter, signal });
    const found: { path: string; modified: number }[] = [];
    for (const [index, { path, stat }] of files.entries()) {
      if (index % AT_ONCE === 0) await nextTurn();
      if (!matches(path)) continue;
      const stats = await stat();
      if (stats !== undefined) found.push({ path, modified: stats.modified });
    }
    if (found.length === 0) return { text: '(no file matches)' };
    found.sort((one, other) => other.modified - one.modified || (one.path < other.path ? -1 : 1));
    const paths = found.slice(0, MAX_PATHS).map(({ path }) => path);
    const note = found.length > MAX_PATHS ? [`(the ${MAX_PATHS} newest of ${found.length})`] : [];
    return { text: [...paths, ...note].join('\n') };
  },
});
