import { RefusedCall } from '../../core/tool-contracts/arguments.ts';
import type { ToolContext } from '../../core/tool-contracts/tool.ts';

/** What belongs to git and to Cadre, and to nobody's work: it is shown and searched only where it is named. */
const HIDDEN = ['.git', '.cadre', '.cadre-results'];

/** A file that is being written beside the one that it will replace, or was when the process died. */
const TEMPORARY = /^\.cadre-[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** @param named a path or a pattern that may name it */
export function isHidden(name: string, named: string): boolean {
  if (TEMPORARY.test(name)) return true;
  return HIDDEN.includes(name) && !named.split('/').includes(name);
}

/** What of it is not named. */
export function hiddenNames(named: string): string[] {
  return HIDDEN.filter((name) => isHidden(name, named));
}

/** What is in these can make programs of the user run, or runs say what never happened. */
const PROTECTED = ['.git', '.cadre'];

/**
 * @param path where the path of a call leads
 * @param tool its name
 * @throws {RefusedCall} for what an agent may not change, whatever it may write otherwise
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
