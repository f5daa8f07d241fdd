import type { Environment } from '../../places/environment.ts';

/** One of the things that an evaluation compares; the only one where it compares nothing. */
export interface Variant {
  name: string;
  agent: string;
  /** In place of the agent's own. */
  model?: string | undefined;
  environment: Environment;
  /** Whether it is carried out on this machine, in a folder of each case's own. */
  isHere: boolean;
  /** The digest of all that shapes its runs but the case; undefined where that is not known. */
  digest: string | undefined;
  /** Whether what it has played is taken from earlier evaluations, and kept for later ones. */
  isKept: boolean;
}
