import { homedir, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import { ConfigError } from '../../errors.ts';

/**
 * The user's home. An empty or a relative `HOME` is none: it would have the folder in which a command happens to run
 * decide what is trusted.
 * @throws {ConfigError} if the system knows none, as for a user without an entry in passwd
 */
export function homeFolder(env: Readonly<Record<string, string | undefined>>): string {
  const places = [() => env['HOME'], homedir, () => userInfo().homedir];
  for (const place of places) {
    const home = ask(place);
    if (home !== undefined && isAbsolute(home)) return home;
  }
  throw new ConfigError('your home folder is not known: set HOME to the absolute path of a folder');
}

function ask(place: () => string | undefined): string | undefined {
  try {
    return place();
  } catch {
    return undefined; // The system has no entry for this user.
  }
}
