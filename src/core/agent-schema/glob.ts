import { ConfigError } from '../../errors.ts';
import { memoize } from '../../memoize.ts';

/** Whether a path fits a pattern, in time that grows no faster than the product of their lengths. */
export type Fits = (path: string) => boolean;

/**
 * Compiles a pattern of paths: `*` and `?` stop at a `/`, `**` is any number of folders, `[a-z]` and `[^a-z]` are one
 * character, `{a,b}` are alternatives, and `\` takes the next character as it is. A model chooses the paths and a
 * repository the patterns, so neither may cost more than their lengths: expressions that backtrack do.
 * @param dots whether `*`, `?` and `**` stand for names that begin with a dot, too
 * @throws {ConfigError} for one with too many alternatives
 */
export function compileGlob(pattern: string, { dots }: { dots: boolean }): Fits {
  return dots ? withDots(pattern) : withoutDots(pattern);
}

const withDots = memoize((pattern: string) => compile(pattern, true));
const withoutDots = memoize((pattern: string) => compile(pattern, false));

function compile(pattern: string, dots: boolean): Fits {
  const alternatives = alternativesOf(pattern).map((one) => toSegments(one.split('/')));
  return (path) => {
    const names = path.split('/');
    return alternatives.some((segments) => fitsAll(segments, names, dots));
  };
}

const MOST_ALTERNATIVES = 1_000;

/** The patterns that one with `{a,b}` stands for. */
function alternativesOf(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const braces = firstBraces(next);
    if (braces === undefined) done.push(next);
    else {
      const [before, after] = [next.slice(0, braces.start), next.slice(braces.end + 1)];
      for (const choice of braces.choices) open.push(before + choice + after);
    }
    if (done.length + open.length > MOST_ALTERNATIVES) {
      throw new ConfigError(`pattern "${pattern}" has more than ${MOST_ALTERNATIVES} alternatives`);
    }
  }
  return done;
}

/** The first braces with a comma between them, outside of which a pattern is read. */
function firstBraces(pattern: string): { start: number; end: number; choices: string[] } | undefined {
  const open: { start: number; commas: number[] }[] = [];
  let found: { start: number; end: number; choices: string[] } | undefined;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === '\\') at++;
    else if (char === '[') at = endOfClass(pattern, at) ?? at;
    else if (char === '{') open.push({ start: at, commas: [] });
    else if (char === ',') open.at(-1)?.commas.push(at);
    else if (char === '}') {
      const braces = open.pop();
      if (braces === undefined || braces.commas.length === 0) continue;
      const edges = [braces.start, ...braces.commas, at];
      const choices = edges.slice(1).map((edge, index) => pattern.slice((edges[index] ?? 0) + 1, edge));
      found = { start: braces.start, end: at, choices };
      if (open.length === 0) return found;
    }
  }
  return found;
}

/** Where a class of characters ends that begins at a place; undefined if it is none. */
function endOfClass(pattern: string, start: number): number | undefined {
  const first = /^\[\^?/.exec(pattern.slice(start, start + 2))?.[0].length ?? 1;
  for (let at = start + first; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === '/') return undefined;
    else if (pattern[at] === ']' && at > start + first) return at;
  }
  return undefined;
}

type Part =
  { kind: 'text'; text: string } | { kind: 'one' } | { kind: 'any' } | { kind: 'class'; of: RegExp };

// `docs/**` is the folder itself, too; `doc*/**` is only what is in such a folder.
function toSegments(written: readonly string[]): (Part[] | undefined)[] {
  const segments = written.filter((one, at) => one !== '**' || written[at - 1] !== '**').map(toSegment);
  const isWithin = segments.at(-1) === undefined && segments.at(-2)?.at(-1)?.kind === 'any';
  return isWithin ? [...segments, [{ kind: 'any' }]] : segments;
}

/** A part of a pattern between slashes; undefined: `**`. */
function toSegment(written: string): Part[] | undefined {
  if (written === '**') return undefined;
  const parts: Part[] = [];
  for (let at = 0; at < written.length; at++) {
    const char = written[at] ?? '';
    const end = char === '[' ? endOfClass(written, at) : undefined;
    const set = end === undefined ? undefined : classOf(written.slice(at + 1, end));
    if (end !== undefined && set !== undefined) {
      parts.push({ kind: 'class', of: set });
      at = end;
    } else if (char === '\\' && at + 1 < written.length)
      parts.push({ kind: 'text', text: written[++at] ?? '' });
    else if (char === '?') parts.push({ kind: 'one' });
    else if (char !== '*') parts.push({ kind: 'text', text: char });
    else if (parts.at(-1)?.kind !== 'any') parts.push({ kind: 'any' });
  }
  return parts;
}

/** It is held against single characters. */
function classOf(body: string): RegExp | undefined {
  try {
    return new RegExp(`^[${body.replace(/\[/g, String.raw`\[`)}]$`, 's');
  } catch {
    return undefined;
  }
}

/** Of several `**`, only the last that was met ever has to take more. */
function fitsAll(
  segments: readonly (Part[] | undefined)[],
  names: readonly string[],
  dots: boolean,
): boolean {
  return greedy(
    names.length,
    segments.length,
    (at) => segments[at] === undefined,
    (at, name) => fitsName(segments[at] ?? [], names[name] ?? '', dots),
    (name) => dots || !(names[name] ?? '').startsWith('.'),
  );
}

function fitsName(parts: readonly Part[], name: string, dots: boolean): boolean {
  if (!dots && name.startsWith('.') && !(parts[0]?.kind === 'text' && parts[0].text === '.')) return false;
  return greedy(
    name.length,
    parts.length,
    (at) => parts[at]?.kind === 'any',
    (at, char) => fitsCharacter(parts[at], name[char] ?? ''),
    () => true,
  );
}

function fitsCharacter(part: Part | undefined, char: string): boolean {
  if (part?.kind === 'text') return part.text === char;
  return part?.kind === 'one' || (part?.kind === 'class' && part.of.test(char));
}

/**
 * Matches a list of things against a list of patterns, some of which are stars. Where a thing does not fit, the last
 * star takes one more: an earlier one could take no more than that.
 */
function greedy(
  things: number,
  patterns: number,
  isStar: (pattern: number) => boolean,
  fits: (pattern: number, thing: number) => boolean,
  mayTake: (thing: number) => boolean,
): boolean {
  let [pattern, thing] = [0, 0];
  let star: { pattern: number; taken: number } | undefined;
  while (thing < things) {
    if (pattern < patterns && isStar(pattern)) star = { pattern: pattern++, taken: thing };
    else if (pattern < patterns && fits(pattern, thing)) [pattern, thing] = [pattern + 1, thing + 1];
    else if (star !== undefined && mayTake(star.taken)) {
      star.taken += 1;
      [pattern, thing] = [star.pattern + 1, star.taken];
    } else return false;
  }
  while (pattern < patterns && isStar(pattern)) pattern += 1;
  return pattern === patterns;
}
