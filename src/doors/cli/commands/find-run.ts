import type { RunReader } from '../../../core/records/ports.ts';
import { isRunId, keyBegunIn, treeIn } from '../../../core/records/run-id.ts';
import type { Run } from '../../../core/records/run.ts';
import { ConfigError } from '../../../errors.ts';
import { nearest } from '../../../nearest.ts';
import { placeText } from '../terminal/closing-text.ts';

/** How many of the newest trees whose keys begin like that are searched for the beginning of an id. */
const MOST_ROOTS = 1_000;
/** How many of several that fit are named. */
const MOST_NAMED = 5;

/** Where runs are, deployed or not. */
export interface Findable {
  records: Pick<RunReader, 'roots' | 'run' | 'tree'>;
  name?: string;
}

/**
 * The run that a user means: by its id, by `last` for the newest, or by the beginning of its id. For a sub-agent's run,
 * the beginning has to reach into the key of its tree, so that only trees that may be meant are read.
 * @throws {ConfigError} if there is none or several are meant
 */
export async function findRun(word: string, { records, name }: Findable): Promise<Run> {
  const onlyOne = (found: readonly Run[], known: readonly Run[]) => theOnlyOne(word, found, known, name);
  const run = isRunId(word) ? await records.run(word) : undefined;
  if (run !== undefined) return run;
  const tree = treeIn(word);
  const there = tree === undefined ? [] : await records.tree(tree);
  if (there.length > 0) return onlyOne(beginningWith(word, there), there);
  if (word === 'last') return onlyOne(await newestOf(records.roots(1)), []);
  const key = keyBegunIn(word);
  const near = key === undefined ? [] : await newestOf(records.roots(MOST_ROOTS, { key }));
  const named = beginningWith(word, near);
  if (named.length > 0) return onlyOne(named, near);
  // What looks like the beginning of a key may belong to the name of an agent.
  const roots = await newestOf(records.roots(MOST_ROOTS));
  const meant = beginningWith(word, roots);
  if (meant.length > 0) return onlyOne(meant, roots);
  const below = await runsBelow(near, records);
  return onlyOne(beginningWith(word, below), [...roots, ...below]);
}

async function newestOf(roots: AsyncIterable<Run>): Promise<Run[]> {
  const runs: Run[] = [];
  for await (const root of roots) runs.push(root);
  return runs;
}

async function runsBelow(roots: readonly Run[], records: Pick<RunReader, 'tree'>): Promise<Run[]> {
  const below: Run[] = [];
  for (const { id } of roots) {
    below.push(...(await records.tree(id)).filter((run) => run.id !== id));
  }
  return below;
}

function beginningWith(word: string, runs: readonly Run[]): Run[] {
  return runs.filter(({ id }) => id.startsWith(word));
}

/** @param known the runs that exist beside those that match */
function theOnlyOne(
  word: string,
  [found, ...more]: readonly Run[],
  known: readonly Run[],
  env: string | undefined,
): Run {
  if (found === undefined) {
    const ids = known.map(({ id }) => id);
    throw runNotFound(word, ids, env);
  }
  if (more.length === 0) return found;
  const meant = [found, ...more].map(({ id }) => id);
  const named = meant.slice(0, MOST_NAMED).join(', ');
  const rest = meant.length > MOST_NAMED ? ` and ${meant.length - MOST_NAMED} more` : '';
  throw new ConfigError(
    `the ids of ${meant.length} runs begin with "${word}": ${named}${rest}; add more of the id`,
  );
}

/** @param known ids of runs that there are */
export function runNotFound(word: string, known: readonly string[], env: string | undefined): ConfigError {
  const beginnings = known.map((id) => id.slice(0, word.length));
  const near = known[beginnings.indexOf(nearest(word, beginnings) ?? '')];
  const hint = near === undefined ? '' : `did you mean ${near}? `;
  return new ConfigError(`run not found: ${word}; ${hint}see: cadre runs${placeText({ env })}`);
}
