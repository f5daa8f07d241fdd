import {
  booleanArgument,
  folderArgument,
  integerArgument,
  optionalTextArgument,
  textArgument,
} from '../typed-arguments.ts';
import { fileTool } from './file-tool.ts';

const MAX_PATTERN = 1_000;
const MAX_CONTEXT = 20;

export const grepTool = fileTool({
  name: 'grep',
  description:
    'Search the lines of text files for a regular expression (RE2 syntax: no lookaround, no backreferences). Returns ' +
    '"path:line: text", at most 1,000 lines. Files that git ignores are left out.',
  parameters: {
    pattern: { type: 'string', description: 'Regular expression that a line must match' },
    path: { type: 'string', description: 'File or folder to search; default: the working directory' },
    glob: { type: 'string', description: 'Only files that match, such as "*.ts" or "src/**/*.{js,ts}"' },
    context: { type: 'integer', description: 'How many lines to show before and after each match' },
    ignore_case: { type: 'boolean', description: 'Do not distinguish upper and lower case' },
    files_only: { type: 'boolean', description: 'Return only the paths of the files that match' },
  },
  required: ['pattern'],
  seconds: 60,
  async run(args, context) {
    const query = {
      pattern: textArgument(args, 'pattern', MAX_PATTERN),
      start: folderArgument(args),
      glob: optionalTextArgument(args, 'glob', MAX_PATTERN),
      context: Math.min(MAX_CONTEXT, integerArgument(args, 'context', { least: 0, fallback: 0 })),
      ignoreCase: booleanArgument(args, 'ignore_case'),
      filesOnly: booleanArgument(args, 'files_only'),
    };
    const { searchLines } = await import('./search-lines.ts');
    return { text: await searchLines(query, context) };
  },
});
