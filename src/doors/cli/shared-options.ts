import type { LookedAtRuns } from '../../places/kept-runs.ts';
import type { Io } from './terminal/io.ts';

/** Options that several commands take. */

export const ENVIRONMENT = [
  '--env <environment>',
  'use a deployed environment instead of this folder',
] as const;

export const AGENTS_DIR = ['--agents-dir <folder>', 'read agents from this folder only'] as const;

/** Hands `use` the runs of the environment, or of this folder; nothing if the folder has none. */
export async function withRuns(
  io: Io,
  { env }: { env?: string },
  use: (kept: LookedAtRuns | undefined) => Promise<number>,
): Promise<number> {
  const { withKeptRuns } = await import('../../places/kept-runs.ts');
  return withKeptRuns(env, io.cwd, use);
}
