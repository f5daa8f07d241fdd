import { Option } from 'commander';
import type { Environment } from '../../places/environment.ts';
import type { Io } from './terminal/io.ts';

/** Options that several commands take. */

export const ENVIRONMENT = [
  '--env <environment>',
  'use a deployed environment instead of this folder',
] as const;

export const OWNER = [
  '--owner <owner>',
  'of this person, the subject of their tokens (default: the account)',
] as const;

export const ISSUER = [
  '--issuer <issuer>',
  'of the tokens that name owners (default: that of the environment)',
] as const;

export const DEPLOYED = ['--env <environment>', 'the deployed environment'] as const;

export const AGENTS_DIR = ['--agents-dir <folder>', 'read agents from this folder only'] as const;

export const TRUST = ['--trust', 'let agents start servers and modules in this folder, this time'] as const;

/** For commands that start nothing in this folder where agents are deployed. */
export const trustHere = () => new Option(...TRUST).conflicts('env');

/** Hands `use` a deployed environment, or that of this folder, and closes it afterwards. */
export async function withEnvironment(
  io: Io,
  { env }: { env?: string },
  use: (environment: Environment) => Promise<number>,
): Promise<number> {
  const { openEnvironment } = await import('../../authoring/loading/open-environment.ts');
  // The command ends once it has done its work.
  const { environment } = await openEnvironment({ env }, io, { carries: false });
  try {
    return await use(environment);
  } finally {
    await environment.close();
  }
}
