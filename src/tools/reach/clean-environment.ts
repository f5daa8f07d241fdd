/** The variables that programs need to find their way about: none is a key, or says where one is. The last one is ours. */
const HARMLESS = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|CI|CADRE_PROCESS_TREE)$/;

export function isHarmless(name: string): boolean {
  return HARMLESS.test(name);
}

/**
 * The environment of processes that agents start: those variables of ours that are known to be harmless. All others are
 * left out, since a key may have any name.
 */
export function cleanEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const clean: Record<string, string> = { TERM: 'dumb' };
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && isHarmless(name)) clean[name] = value;
  }
  return clean;
}
