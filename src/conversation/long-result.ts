import { WorkspaceError } from '../agent/workspace.ts';
import type { ToolDefinition } from '../runs/message.ts';
import type { ToolContext } from '../tools/tool.ts';

/** Three quarters of what is shown is the beginning, where most texts say what they are about. */
const HEAD_CHARACTERS = 36_000;
const TAIL_CHARACTERS = 12_000;

/**
 * Saves a result that is too long for a model as a file in the workspace.
 * @returns its beginning, its end, and where to find the whole
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

/** @returns false if it cannot be saved: then the part that is shown has to do */
async function write(text: string, path: string, workspace: ToolContext['workspace']): Promise<boolean> {
  try {
    await workspace.write(path, new TextEncoder().encode(text), undefined);
    return true;
  } catch (thrown) {
    // A repeated call finds what it wrote before.
    if (thrown instanceof WorkspaceError) return thrown.fault === 'exists';
    throw thrown;
  }
}
