/** The variables that programs need to find their way about: none is a key, or says where one is. */
const KEPT = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|CI)$/;

/**
 * The environment of processes that agents start: those variables of ours that are known to be harmless. All others are
 * left out, since a key may have any name.
 */
export function cleanEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const clean: Record<string, string> = { TERM: 'dumb' };
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && KEPT.test(name)) clean[name] = value;
  }
  return clean;
}
