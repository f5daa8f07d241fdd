import { execFile } from 'node:child_process';
import type { LineQuery } from '../../../core/agent-schema/workspace.ts';
import { findProgram } from './find-program.ts';

// ripgrep reads a large tree on all cores, several times as fast as this process. It is only asked which files may
// match: lines, matches and omissions are decided in one place, with and without it.

/** Of all paths together; beyond this, we search ourselves. */
const MAX_OUTPUT = 64 * 1024 ** 2;

const IN_CLASS = String.raw`(?:\\[wdst]|\\[^a-zA-Z0-9]|[^\\[\]&~-]|[a-zA-Z0-9]-[a-zA-Z0-9])`;

/**
 * The parts of patterns that match at least as much in ripgrep, where they are matched with bytes, as in RE2, where
 * they are matched with characters: a pattern for any character may stand for several bytes only where it is repeated.
 */
const SAFE_PART = [
  String.raw`\\[wdsbBt]`,
  String.raw`\\[^a-zA-Z0-9]`,
  String.raw`(?:\.|\\[WDS]|\[\^${IN_CLASS}+\])(?=[*+])`,
  String.raw`\[(?!\^)${IN_CLASS}+\]`,
  String.raw`\(\?:|\((?!\?)`,
  String.raw`\{\d+(?:,\d*)?\}`,
  String.raw`[^\\.[({]`,
].join('|');

const IS_SAFE = new RegExp(String.raw`^(?:\(\?i\))?(?:(?=[ -~])(?:${SAFE_PART}))*$`);
const SAFE_PARTS = new RegExp(SAFE_PART, 'g');

/**
 * @param folder absolute, the one to search
 * @returns paths relative to it; undefined where there is no ripgrep, or it cannot say
 */
export async function findWithRipgrep(
  { pattern, ignoreCase, leftOut }: LineQuery,
  folder: string,
  searchPath: string,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const program = findProgram('rg', searchPath, folder);
  if (program === undefined || !IS_SAFE.test(pattern)) return undefined;
  const flags = [
    '--no-config',
    '--no-messages',
    '--files-with-matches',
    '--null',
    // Git's own rules below the folder, and no others.
    '--hidden',
    '--no-require-git',
    '--no-ignore-dot',
    '--no-ignore-exclude',
    '--no-ignore-global',
    '--no-ignore-parent',
    ...leftOut.map((name) => `--glob=!${name}`),
    '--no-unicode',
    '--text',
    ignoreCase ? '--ignore-case' : '--case-sensitive',
    // Lines end in CRLF, too.
    `--regexp=${pattern.replace(SAFE_PARTS, (part) => (part === '$' ? '(?:\\r?$)' : part))}`,
  ];
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, env: {}, signal, maxBuffer: MAX_OUTPUT, killSignal: 'SIGKILL' } as const;
    execFile(program, [...flags, '--', '.'], options, (error, stdout) => {
      if (signal.aborted) reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      // 1: no file. 2: something went wrong, if only with one file.
      else if (error !== null && error.code !== 1) resolve(undefined);
      else resolve(stdout.split('\0').filter(Boolean));
    });
  });
}
