import { ConfigError } from '../../errors.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/**
 * Names of agents and skills become parts of paths, so nothing that means something in a path may reach one.
 * @throws {ConfigError}
 */
export function assertName(kind: 'agent' | 'skill', name: string): void {
  if (NAME.test(name)) return;
  throw new ConfigError(
    `invalid ${kind} name ${JSON.stringify(name)}: use 1 to 64 letters, digits, "-" or "_", starting with a letter or digit`,
  );
}

/** Names of `cadre verify`'s agents begin like this, and no agent of a project may. They are not listed. */
export const RESERVED_PREFIX = 'cadre-verify-';
