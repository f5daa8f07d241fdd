import { existsSync } from 'node:fs';
import { basename, dirname, join, parse } from 'node:path';
import { root } from './copy.mjs';

/** How long tests may take, in milliseconds: of several mutants, one may have all tests wait for nothing. */
const ALONE = 600_000;
const TOGETHER = 240_000;

/** The tests here run bundles, which take long to make: they are asked last. */
const BUNDLED = 'test/functions/';

/**
 * Says of mutants which test, if any, notices them.
 *
 * @param {import('./copy.mjs').Copy} copy
 * @param {{ mutant: object, reachedBy: string[] }[]} candidates with the test files that come to their code
 * @param {boolean} slow whether slow tests are asked, too
 * @param {(mutant: object, verdict: string, why?: string) => void} tell called once for each
 */
export function judge(copy, candidates, slow, tell) {
  const isBundled = (file) => file.startsWith(BUNDLED);
  const isNear = ({ mutant }, file) => file.startsWith(nearest(mutant.file));
  let left = ask('near', candidates, (candidate, file) => !isBundled(file) && isNear(candidate, file));
  left = ask('related', left, (candidate, file) => !isBundled(file) && !isNear(candidate, file));
  left = ask('bundled', left, (_, file) => isBundled(file));
  for (const { mutant, reachedBy } of left) {
    const { verdict, why } = (slow ? slowFailure(mutant) : undefined) ?? {
      verdict: 'SURVIVED',
      why: reachedBy.length === 0 ? 'no fast test comes to it' : undefined,
    };
    tell(mutant, verdict, why);
  }

  /** @returns those that none of these tests notices */
  function ask(verdict, asked, isWanted) {
    const wanted = asked.map((each) => ({
      ...each,
      files: each.reachedBy.filter((file) => isWanted(each, file)),
    }));
    const found = new Map();
    let waiting = wanted.filter(({ files }) => files.length > 0);
    while (waiting.length > 0) {
      const batch = apart(waiting);
      waiting = waiting.filter((each) => !batch.includes(each));
      const failures = failuresOf(verdict, batch) ?? batch.flatMap((each) => failuresOf(verdict, [each]));
      for (const { candidate, ...finding } of failures) {
        found.set(candidate.mutant, finding);
        tell(candidate.mutant, finding.verdict, finding.why);
      }
    }
    return asked.filter(({ mutant }) => !found.has(mutant));
  }

  /** @returns undefined if the tests of several did not end, and one of them is to blame */
  function failuresOf(verdict, batch) {
    const texts = new Map(batch.map(({ mutant }) => [mutant.file, copy.mutated(mutant)]));
    const files = batch.flatMap((each) => each.files);
    const isAlone = batch.length === 1;
    const args = ['run', ...files, '--mode', 'fast', '--bail', isAlone ? '1' : '0'];
    const env = { CADRE_TEST_BUILD: verdict === 'bundled' ? 'yes' : 'no' };
    const { ended, failed } = copy.with(texts, () => copy.tests(args, env, isAlone ? ALONE : TOGETHER));
    if (!ended && !isAlone) return undefined;
    return batch.flatMap((candidate) => {
      const finding = findingOf(verdict, {
        ended,
        failed: failed.filter(({ file }) => candidate.files.includes(file)),
      });
      return finding === undefined ? [] : [{ candidate, ...finding }];
    });
  }

  function slowFailure(mutant) {
    const wing = nearest(mutant.file).split('/').slice(0, 3).join('/');
    // What a folder or a file is about may be played elsewhere, in a rehearsal or by a door, in tests that have its name.
    const named = [basename(dirname(mutant.file)), parse(mutant.file).name].map((name) => `/${name}.`);
    const texts = new Map([[mutant.file, copy.mutated(mutant)]]);
    // Slow tests run bundles, too.
    const env = { CADRE_TEST_BUILD: 'yes' };
    return findingOf(
      'slow',
      copy.with(texts, () =>
        copy.tests(['run', wing, ...named, '--exclude', '**/!(*.slow).test.ts', '--bail', '1'], env),
      ),
    );
  }
}

/** As many as can be tried at once: no test of one comes to the code of another, so that it is plain whose a failure is. */
function apart(candidates) {
  const chosen = [];
  for (const each of candidates) {
    const isApart = (other) =>
      other.mutant.file !== each.mutant.file &&
      !other.files.some((file) => each.reachedBy.includes(file)) &&
      !each.files.some((file) => other.reachedBy.includes(file));
    if (chosen.every(isApart)) chosen.push(each);
  }
  return chosen;
}

/** Where only a limit of time was reached, nobody knows whether the mutant or a busy machine is to blame. */
function findingOf(verdict, { ended, failed }) {
  if (ended && failed.length === 0) return undefined;
  const why = failed.find(({ isOverdue }) => !isOverdue)?.why;
  if (why !== undefined) return { verdict, why };
  return { verdict: 'TIMED OUT', why: failed[0]?.why ?? 'the tests did not end' };
}

/** The folder in `test/` that mirrors the file's, or the closest that there is above it. */
function nearest(file) {
  let folder = join('test', dirname(file).replace(/^src\//, ''));
  while (!existsSync(join(root, folder))) folder = dirname(folder);
  return `${folder}/`;
}
