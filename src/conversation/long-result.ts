import { WorkspaceError } from '../agent/workspace.ts';
import type { ToolDefinition, ToolResult } from '../runs/message.ts';
import type { ToolContext } from '../tools/tool.ts';

/** How much of a result that is too long is shown. */
const SHOWN_CHARACTERS = 48_000;

/** Of what is shown, the part that is the beginning, where most texts say what they are about. */
const HEAD = 0.75;

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

/**
 * The beginning and the end of a text, and between them how much is left out.
 * @param characters of the text that are shown
 */
export function cutMiddle(
  text: string,
  characters: number,
  { whole }: Pick<ToolResult, 'whole'> = {},
): string {
  const head = text.slice(0, Math.floor(characters * HEAD)).toWellFormed();
  const tail = text.slice(text.length - Math.floor(characters * (1 - HEAD))).toWellFormed();
  const left = text.length - head.length - tail.length;
  return `${head}\n\n[${left} of ${text.length} characters left out${placeOf(whole)}]\n\n${tail}`;
}

/** What stands for a result that is not sent any more. */
export function leftOut({ text, whole }: Pick<ToolResult, 'text' | 'whole'>): string {
  return `[result left out: ${text.length} characters${placeOf(whole)}]`;
}

function placeOf(whole: string | undefined): string {
  return whole === undefined ? '' : `; the whole result is in ${whole}`;
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
