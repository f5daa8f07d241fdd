/** Patterns of other tools' rules in Cadre's terms; undefined: there is no such pattern. */

/** The patterns of rules for a tool of Cadre that fit what a pattern of another format does; none: it has no such. */
export function patternsFor(tool: string, written: string): string[] {
  if (tool === 'run_command') return [toCommandPattern(written)];
  if (tool === 'fetch_url') {
    const host = toHost(written);
    return host === undefined ? [] : [`*://${host}/*`, `*://${host}:*`];
  }
  const path = toPathPattern(written);
  return path === undefined ? [] : [path];
}

/** `git diff:*` and `git diff *` are a command with anything behind it. */
function toCommandPattern(written: string): string {
  return written.trim().replace(/:\*$/, ' *');
}

/** A pattern in the manner of a .gitignore file. No tool of Cadre reaches a path that leads out of the workdir. */
export function toPathPattern(written: string): string | undefined {
  const pattern = written.trim().replace(/^(\.\/)+/, '');
  if (/^(\/\/|~|\$|\.\.(\/|$))/.test(pattern)) return undefined;
  return pattern.replace(/^\//, '') || '**';
}

/**
 * A pattern of opencode for a path, in which `*` is any text, slashes included.
 * @param allows whether it is a rule that allows: it then fits no more than it did, otherwise no less
 */
export function toPathPatterns(written: string, allows: boolean): string[] {
  const path = toPathPattern(written);
  if (path === undefined) return [];
  const end = path.lastIndexOf('/') + 1;
  const folder = path.slice(0, end);
  const name = path.slice(end);
  const prefix = allows ? folder : folder.replaceAll(/(?<=^|\/)\*+(?=\/)/g, '**');
  if (/^\*+$/.test(name)) return [`${prefix}**`];
  if (name.startsWith('*')) return [prefix === '' ? name : `${prefix}**/${name}`];
  const whole = prefix + name;
  return allows || !name.includes('*') ? [whole] : [whole, `${whole}/**`];
}

/** The host in `domain:docs.example.com`. */
export function toHost(written: string): string | undefined {
  const host = written.trim().replace(/^domain:/, '');
  return /^(\*\.)?[\w-]+(\.[\w-]+)*$/.test(host) ? host : undefined;
}
