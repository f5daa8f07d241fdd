/** What programs need to find their way about: nothing here is a key, or says where one is. */
const KEPT = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|CI)$/;

/**
 * The environment of what agents start: those variables of ours that are known to be harmless. Everything else is left
 * out, whatever it is called, since keys go by any name.
 */
export function cleanEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const clean: Record<string, string> = { TERM: 'dumb' };
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && KEPT.test(name)) clean[name] = value;
  }
  return clean;
}
