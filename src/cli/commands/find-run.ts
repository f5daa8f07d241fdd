import type { RunStore } from '../../runs/ports.ts';
import { isRunId } from '../../runs/run-id.ts';
import type { Run } from '../../runs/run.ts';
import { ConfigError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';

/** How many of the newest trees are looked through for the beginning of an id. */
const MOST_ROOTS = 1_000;
/** How many of several that fit are named. */
const MOST_NAMED = 5;

/**
 * The run that a user means: by its id, by `last` for the newest, or by how the id of the top of a tree begins.
 * @throws {ConfigError} if there is none or several are meant
 */
export async function findRun(word: string, store: RunStore): Promise<Run> {
  const run = isRunId(word) ? await store.run(word) : undefined;
  if (run !== undefined) return run;
  const isMeant = ({ id }: Run) => word === 'last' || id.startsWith(word);
  const others: string[] = [];
  const meant: Run[] = [];
  for await (const root of store.roots(word === 'last' ? 1 : MOST_ROOTS)) {
    if (isMeant(root)) meant.push(root);
    else others.push(root.id);
  }
  const [found, ...more] = meant;
  if (found === undefined) throw runNotFound(word, others);
  if (more.length === 0) return found;
  const named = meant.slice(0, MOST_NAMED).map(({ id }) => id);
  const rest = meant.length > MOST_NAMED ? ` and ${meant.length - MOST_NAMED} more` : '';
  throw new ConfigError(
    `the ids of ${meant.length} runs begin with "${word}": ${named.join(', ')}${rest}; add more of the id`,
  );
}

/** @param known ids of runs that there are */
export function runNotFound(word: string, known: readonly string[] = []): ConfigError {
  const beginnings = known.map((id) => id.slice(0, word.length));
  const near = known[beginnings.indexOf(nearest(word, beginnings) ?? '')];
  const hint = near === undefined ? '' : `did you mean ${near}? `;
  return new ConfigError(`run not found: ${word}; ${hint}see: cadre runs`);
}
