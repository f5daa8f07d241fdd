import { WorkspaceError } from '../agent/workspace.ts';
import type { ToolDefinition } from '../runs/message.ts';
import type { ToolContext } from '../tools/tool.ts';

/** Of what is shown, three parts in four are the beginning: that is where most texts say what they are. */
const HEAD_CHARACTERS = 36_000;
const TAIL_CHARACTERS = 12_000;

/**
 * Keeps a result that is too long for a model as a file of the workspace.
 * @returns its beginning and its end, and where the whole is
 */
export async function keepWhole(
  text: string,
  { workspace, resultPath }: Pick<ToolContext, 'workspace' | 'resultPath'>,
  tools: readonly ToolDefinition[],
): Promise<string> {
  const head = text.slice(0, HEAD_CHARACTERS).toWellFormed();
  const tail = text.slice(-TAIL_CHARACTERS).toWellFormed();
  const isKept = await write(text.toWellFormed(), resultPath, workspace);
  const canRead = isKept && tools.some(({ name }) => name === 'read_file');
  const where = canRead ? `; the whole result is in ${resultPath}` : '';
  const left = text.length - head.length - tail.length;
  return `${head}\n\n[${left} of ${text.length} characters left out${where}]\n\n${tail}`;
}

/** @returns false where it cannot be kept: then what is shown has to do */
async function write(text: string, path: string, workspace: ToolContext['workspace']): Promise<boolean> {
  try {
    await workspace.write(path, new TextEncoder().encode(text), undefined);
    return true;
  } catch (thrown) {
    // A call that is made again finds what it wrote before.
    if (thrown instanceof WorkspaceError) return thrown.fault === 'exists';
    throw thrown;
  }
}
