import { isAbsolute, join } from 'node:path';
import { homeFolder } from '../../places/local/home-folder.ts';

/** The user's own folder for Cadre; XDG has relative values ignored. */
export function configFolder(env: Readonly<Record<string, string | undefined>>): string {
  const base = env['XDG_CONFIG_HOME'];
  return join(base && isAbsolute(base) ? base : join(homeFolder(env), '.config'), 'cadre');
}

/** The user's configuration for all projects. */
export function configFile(env: Readonly<Record<string, string | undefined>>): string {
  return join(configFolder(env), 'config.toml');
}

/** Which folders the user has trusted. Only commands write there. */
export function trustFolder(env: Readonly<Record<string, string | undefined>>): string {
  return join(configFolder(env), 'trusted');
}

/** The user's sign-ins to servers of tools. Only commands and what they have renew them write there. */
export function loginFolder(env: Readonly<Record<string, string | undefined>>): string {
  return join(configFolder(env), 'logins');
}
