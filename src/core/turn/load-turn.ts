import type { Opened } from '../records/opened.ts';
import type * as Caps from '../spending/caps.ts';
import type { LoadOwnTools } from '../tool-contracts/own-tools.ts';
import { loadTools, type Toolbox } from '../tool-contracts/toolbox.ts';
import type * as Skills from '../tool-contracts/skills-in-use.ts';
import type * as Output from './structured-answer.ts';

/** The code that a turn needs and most conversations do without. */
export interface Loaded {
  /** All tools that the conversation has. */
  tools: Toolbox;
  /** Where the conversation has limits of its own. */
  caps: typeof Caps | undefined;
  /** Where its answer has a schema. */
  output: typeof Output | undefined;
  /** Where it may load skills. */
  skills: typeof Skills | undefined;
}

/** The opening of a conversation stays the same from turn to turn. */
const known = new WeakMap<Opened, Loaded>();

/**
 * Loads all that the turns of a conversation need: after this, a turn waits for its store and its model and for nothing
 * else. Functions start faster without what their conversation has no use for.
 */
export async function loadTurn(opened: Opened, load: LoadOwnTools): Promise<Loaded> {
  const before = known.get(opened);
  if (before !== undefined) return before;
  const loaded = {
    tools: await loadTools(opened, load),
    caps: opened.caps && (await import('../spending/caps.ts')),
    output: opened.output && (await import('./structured-answer.ts')),
    skills: opened.skills && (await import('../tool-contracts/skills-in-use.ts')),
  };
  known.set(opened, loaded);
  return loaded;
}
