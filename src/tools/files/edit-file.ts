import { RefusedCall } from '../../core/tool-contracts/arguments.ts';
import { booleanArgument, pathArgument, textArgument } from '../typed-arguments.ts';
import { fileTool } from './file-tool.ts';
import { checkMayChange } from './hidden.ts';
import { putFile, staleFile } from './put-file.ts';
import { checkIsText, decode, encode } from './text-file.ts';
import { replaceText } from './replace-text.ts';

/** A file is edited in memory, as a whole. */
const MAX_BYTES = 16 * 1024 ** 2;
/** In characters. */
const MAX_STRING = 1_000_000;

export const editFileTool = fileTool({
  name: 'edit_file',
  description:
    'Replace a string in a file that was read in this run and has not changed since. The string must occur exactly ' +
    'once, unless replace_all is set.',
  parameters: {
    path: { type: 'string', description: 'Path of the file, relative to the working directory' },
    old_string: {
      type: 'string',
      description: 'The text to replace, exactly as it is in the file, without the line numbers of read_file',
    },
    new_string: { type: 'string', description: 'The text to put in its place' },
    replace_all: { type: 'boolean', description: 'Replace every occurrence' },
  },
  required: ['path', 'old_string', 'new_string'],
  writes: true,
  isRepeatable: false,
  seconds: 60,
  async run(args, context) {
    const asked = pathArgument(args);
    const change = {
      from: textArgument(args, 'old_string', MAX_STRING),
      to: textArgument(args, 'new_string', MAX_STRING),
      all: booleanArgument(args, 'replace_all'),
    };
    if (change.from === '') {
      throw new RefusedCall('argument "old_string" is empty: to write a whole file, use write_file');
    }
    const { workspace, seen } = context;
    const path = await workspace.realPath(asked);
    await checkMayChange(path, 'edit_file', context);
    const content = await workspace.read(path, { limit: MAX_BYTES });
    if (content.size > MAX_BYTES) {
      throw new RefusedCall(`"${path}" has ${content.size} bytes: at most ${MAX_BYTES} can be edited`);
    }
    checkIsText(content.bytes, path);
    const known = await seen.version(path);
    if (known !== content.version()) throw staleFile(path, known);

    const { text, encoding } = decode(content.bytes);
    const changed = replaceText(text, change, path);
    await putFile(path, encode(changed.text, encoding, path), known, context);
    const [line = 0] = changed.lines;
    const where = changed.lines.length === 1 ? `line ${line}` : `${changed.lines.length} places`;
    return { text: `edited "${path}" in ${where}`, filesModified: [path] };
  },
});
