import { WorkspaceError } from '../agent-schema/workspace.ts';
import type { ToolDefinition } from '../records/message.ts';
import type { ToolContext } from '../tool-contracts/tool.ts';
import { cutMiddle } from './cut-text.ts';

/** How much of a result that is too long is shown. */
const SHOWN_CHARACTERS = 48_000;

/**
 * Saves a result that is too long for a model as a file in the workspace.
 * @returns its beginning and its end, and where the model can read the whole
 */
export async function keepWhole(
  text: string,
  { workspace, resultPath }: Pick<ToolContext, 'workspace' | 'resultPath'>,
  tools: readonly ToolDefinition[],
): Promise<{ text: string; whole?: string }> {
  const isKept = await write(text.toWellFormed(), resultPath, workspace);
  const whole = isKept && tools.some(({ name }) => name === 'read_file') ? { whole: resultPath } : {};
  return { text: cutMiddle(text, SHOWN_CHARACTERS, whole), ...whole };
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
