import { compilePattern } from '../../core/agent-schema/file-pattern.ts';
import { RefusedCall } from '../../core/tool-contracts/arguments.ts';

export interface PathPattern {
  /** @param path relative to the workspace */
  matches(path: string): boolean;
  /** @param folder relative to the folder that is searched */
  mayEnter(folder: string, isLink: boolean): boolean;
}

/** Every file of the folder that is searched. */
export const ANY_PATH: PathPattern = { matches: () => true, mayEnter: (_, isLink) => !isLink };

/**
 * A pattern of paths below a folder; hidden files are found like others.
 * @throws {RefusedCall} for one that leads elsewhere
 * @throws {ConfigError} for one that is none
 */
export function pathPattern(pattern: string, start: string): PathPattern {
  if (/^\/|(^|\/)\.\.(\/|$)/.test(pattern)) {
    throw new RefusedCall(`pattern "${pattern}" must lead down from path, without "/" at its start or ".."`);
  }
  const { matches, mayEnter } = compilePattern(pattern, { hidden: true });
  return { matches: (path) => matches(start === '' ? path : path.slice(start.length + 1)), mayEnter };
}
