import { RefusedCall } from '../../core/tool-contracts/arguments.ts';
import { RESULTS_FOLDER } from '../../core/records/results-folder.ts';
import type { ToolContext } from '../../core/tool-contracts/tool.ts';

/**
 * Folders that belong to git and to Cadre, and to no task: they are shown and searched only where a call names them.
 */
const HIDDEN = ['.git', '.cadre', RESULTS_FOLDER];

/** A file that is being written beside the one that it will replace, or was when the process died. */
const TEMPORARY = /^\.cadre-[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** @param named a path or a pattern that may name it */
export function isHidden(name: string, named: string): boolean {
  if (TEMPORARY.test(name)) return true;
  return HIDDEN.includes(name) && !named.split('/').includes(name);
}

/** The hidden names that a call does not name. */
export function hiddenNames(named: string): string[] {
  return HIDDEN.filter((name) => isHidden(name, named));
}

/** A file in these can make programs of the user run, or records claim events that never happened. */
const PROTECTED = ['.git', '.cadre'];

/**
 * @param path of the call, resolved
 * @param tool its name
 * @throws {RefusedCall} for files that an agent may not change, even if it may write others
 */
export async function checkMayChange(
  path: string,
  tool: string,
  { workspace, mayChange }: Pick<ToolContext, 'workspace' | 'mayChange'>,
): Promise<void> {
  // The workdir may be such a folder itself, or lie in one.
  const whole = await workspace.absolutePath(path);
  // Some file systems do not tell upper from lower case.
  const name = whole.split('/').find((each) => PROTECTED.includes(each.toLowerCase()));
  if (name !== undefined) throw new RefusedCall(`"${path}" cannot be changed: it is in ${name}`);
  if (await mayChange(path)) return;
  throw new RefusedCall(
    `"${path}" cannot be changed: it decides what agents may do. Where it is meant to be changed, a person adds ` +
      `"${tool}(${path})" to allow under [permissions] in the file of the agent that may`,
  );
}
