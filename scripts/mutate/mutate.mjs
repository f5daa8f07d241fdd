// Draws small faults from the sources by a seed, puts one after the other into a copy of the project, and says which of
// them neither the compiler nor a test notices.
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from '../options.mjs';
import { Copy, root, tracked } from './copy.mjs';
import { judge } from './judge.mjs';
import { mutantsOf } from './mutants.mjs';

const options = readOptions('npm run mutate -- [options]: tries whether anything notices small faults', {
  seed: { type: 'whole', help: 'which mutants are drawn' },
  count: { type: 'whole', default: 50, help: 'how many' },
  in: {
    type: 'string',
    multiple: true,
    default: ['src', 'functions', 'infra'],
    help: 'a folder they are from',
  },
  only: {
    type: 'whole',
    multiple: true,
    default: [],
    help: 'one of them alone, with the output of the compiler and of tests',
  },
  slow: {
    type: 'boolean',
    help: 'holds those that fast tests miss against the slow tests of their folder, too',
  },
});
options.seed ??= randomInt(1_000_000);
const drawn = draw(candidates(), options)
  .map((mutant, index) => ({ ...mutant, number: index + 1 }))
  .filter(({ number }) => options.only.length === 0 || options.only.includes(number));
const copy = new Copy(options.only.length !== 1 ? 'ignore' : 'inherit');
const found = new Map();
try {
  if (!copy.compiles()) throw new Error('the compiler refuses the project as it is');
  const refused = copy.refused(drawn);
  for (const mutant of refused) tell(mutant, 'compiler');
  const accepted = drawn.filter((mutant) => !refused.has(mutant));
  const { reachedBy, broken } = copy.reached(accepted);
  for (const [file, why] of broken)
    console.log(`left out, as it fails without a mutant: ${file}  ${brief(why, 200)}`);
  judge(
    copy,
    accepted.map((mutant, index) => ({ mutant, reachedBy: reachedBy[index] })),
    options.slow,
    tell,
  );
} finally {
  copy.remove();
}
const counts = [...found].map(([verdict, count]) => `${count} ${verdict}`);
console.log(`seed ${options.seed}, of ${drawn.length}: ${counts.join(', ')}`);

function candidates() {
  const files = tracked(...options.in).filter((file) => /(?<!\.d)\.tsx?$/.test(file));
  return files.flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')));
}

/** Takes as many as are asked for, each at most once. */
function draw(all, { seed, count }) {
  const random = randomBy(seed);
  const rest = [...all];
  return Array.from({ length: Math.min(count, rest.length) }, () => {
    const index = Math.floor(random() * rest.length);
    const [mutant] = rest.splice(index, 1, rest.at(-1));
    rest.pop();
    return mutant;
  });
}

/** Mulberry32: numbers from 0 up to 1 that follow from the seed alone. */
function randomBy(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function tell({ number, file, line, before, after }, verdict, why) {
  found.set(verdict, (found.get(verdict) ?? 0) + 1);
  console.log(`${number}  ${verdict}  ${file}:${line}  ${brief(before)} -> ${brief(after)}`);
  if (why !== undefined) console.log(`     ${brief(why, 110)}`);
}

function brief(text, most = 60) {
  const line = text.replace(/\s+/g, ' ');
  return line.length > most ? `${line.slice(0, most - 3)}...` : line;
}
