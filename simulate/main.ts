import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { choicesOf, chosen, type Choices } from './choices.ts';
import { play, type Played } from './play/play.ts';
import { seal } from './sealed.ts';
import { shrunk } from './shrink.ts';

/**
 * Plays the whole system in one process, and prints which of its laws was broken: `npm run simulate -- --minutes 60`.
 * Everything follows from the seed, so that a play which broke one can be played again alone.
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    /** In one play, at most. */
    trees: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '1' },
    plays: { type: 'string', default: 'Infinity' },
    trace: { type: 'boolean', default: false },
    /** A file with the choices of a play, which is played alone. */
    choices: { type: 'string' },
    'no-shrink': { type: 'boolean', default: false },
    /** Goes on after a play that broke a law, without making it shorter. */
    'go-on': { type: 'boolean', default: false },
  },
});
/** The choices of a play, as a file has them. */
const Kept = v.pipe(v.string(), v.parseJson(), v.array(v.number()));

const randomSeed = Math.floor(Math.random() * 2 ** 31);
const { to, realNow } = seal();
const [minutes, trees, plays] = [Number(values.minutes), Number(values.trees), Number(values.plays)];
const firstSeed = values.seed === undefined ? randomSeed : Number(values.seed);
if (![minutes, trees, plays, firstSeed].every((value) => value >= 0)) {
  throw new Error('--minutes, --trees, --plays and --seed take numbers');
}

/** How long a play that broke a law is made shorter, in milliseconds. */
const SHRINK_MS = 60_000;

async function played(choices: Choices, trace?: (line: string) => void): Promise<Played> {
  try {
    return await play(choices, { trees, trace, onWorld: (time) => to(time, choices, 'world') });
  } catch (thrown) {
    const why = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    return { turns: 0, broken: [`nothing throws: ${why}`] };
  }
}

const nameOf = ({ broken: [first = ''] }: Played) => first.slice(0, first.indexOf(':'));

async function report(choices: Choices, result: Played, again: string): Promise<void> {
  console.log(`${result.broken.slice(0, 5).join('\n  ')}\n  again: npm run simulate -- ${again}`);
  if (values['no-shrink'] || values['go-on']) return;
  const until = realNow() + SHRINK_MS;
  const shortest = await shrunk(
    choices.made,
    async (fewer) => nameOf(await played(chosen(fewer))) === nameOf(result),
    () => realNow() < until,
  );
  const file = join(tmpdir(), `cadre-simulate-${choices.made.length}.json`);
  writeFileSync(file, JSON.stringify(shortest));
  console.log(
    `  shortest: npm run simulate -- --trees ${trees} --choices ${file} --trace (${shortest.length} of ${choices.made.length} choices)`,
  );
}

const began = realNow();
const trace = values.trace ? (line: string) => console.log(line) : undefined;
let [tried, turns, broke] = [0, 0, 0];
if (values.choices === undefined) {
  for (; tried < plays && (tried === 0 || realNow() - began < minutes * 60_000); tried++) {
    const seed = firstSeed + tried;
    const choices = choicesOf(seed);
    const result = await played(choices, trace);
    turns += result.turns;
    if (result.broken.length === 0) continue;
    broke += 1;
    await report(choices, result, `--seed ${seed} --plays 1 --trees ${trees}`);
    if (!values['go-on']) break;
  }
} else {
  const result = await played(chosen(v.parse(Kept, readFileSync(values.choices, 'utf8'))), trace);
  [tried, turns, broke] = [1, result.turns, result.broken.length > 0 ? 1 : 0];
  console.log(result.broken.join('\n'));
}
const seconds = (realNow() - began) / 1000;
const { user, system } = process.cpuUsage();
const perSecond = Math.round(turns / ((user + system) / 1e6));
console.log(
  `${tried} plays, ${turns} turns in ${seconds.toFixed(1)} s (${perSecond} a second of processor time), from seed ${firstSeed}: ${broke} broke a law`,
);
process.exit(broke > 0 ? 1 : 0);
