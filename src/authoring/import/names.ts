import { RESERVED_PREFIX } from '../../core/agent-schema/agent-name.ts';

const MAX_LENGTH = 64;

/** The closest name that Cadre takes: letters, digits, "-" and "_". "" if nothing is left of it. */
export function toAgentName(written: string): string {
  const name = /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(written) ? written : spelled(written).toLowerCase();
  return name
    .replace(new RegExp(`^${RESERVED_PREFIX}`), 'verify-')
    .slice(0, MAX_LENGTH)
    .replace(/[-_]+$/, '');
}

/** The closest name for a server of tools, which may have no `__` in it. */
export function toServerName(written: string): string {
  return spelled(written)
    .replaceAll(/_{2,}/g, '_')
    .slice(0, 32)
    .replace(/[-_]+$/, '');
}

/** A name that none of the others is, ignoring case: some file systems do not distinguish it. */
export function uniqueName(name: string, others: ReadonlySet<string>): string {
  const isTaken = (each: string) => others.has(each.toLowerCase());
  for (let count = 1; ; count += 1) {
    const suffix = count === 1 ? '' : `-${count}`;
    const candidate = name.slice(0, MAX_LENGTH - suffix.length) + suffix;
    if (!isTaken(candidate)) return candidate;
  }
}

function spelled(written: string): string {
  return written
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^A-Za-z0-9_]+/g, '-')
    .replace(/^[-_]+|[-_]+$/g, '');
}
