import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { campaign, NOTHING, sum, work, type Tally } from './campaign.ts';
import { readOptions } from '../scripts/options.mjs';
import { choicesOf, chosen, type Choices } from './choices.ts';
import { play, type Played } from './play/play.ts';
import { seal } from './sealed.ts';
import { shrunk } from './shrink.ts';

/**
 * Plays the whole system in one process, and prints which of its laws was broken: `npm run simulate -- --minutes 60`.
 * Everything follows from the seed, so a play that broke a law can be repeated alone.
 */

const values = readOptions(
  'npm run simulate -- [options]: plays the whole system, and holds it to its laws',
  {
    seed: { type: 'whole', help: 'of the first play; each play has the next one' },
    plays: { type: 'number', default: Infinity, help: 'how many plays' },
    minutes: { type: 'number', default: 1, help: 'for how long' },
    jobs: { type: 'whole', default: 1, help: 'how many processes play' },
    trees: { type: 'whole', default: 2, help: 'how many trees a play has at most' },
    trace: { type: 'boolean', help: 'prints what happens, step by step' },
    'go-on': { type: 'boolean', help: 'plays on after a broken law, without looking for a shorter play' },
    'no-shrink': { type: 'boolean', help: 'does not look for a shorter play that breaks the same law' },
    choices: { type: 'string', help: 'a file with the choices of one play, which is played alone' },
    plant: { type: 'string', help: 'puts a fault of the history back (simulate/planted.mjs)' },
    worker: { type: 'boolean' },
  },
);
/** The choices of a play, as a file has them. */
const Kept = v.pipe(v.string(), v.parseJson(), v.array(v.number()));

const { minutes, trees, plays, jobs, seed: firstSeed = Math.floor(Math.random() * 2 ** 31) } = values;
const { to, realNow } = seal();
const trace = values.trace ? (line: string) => console.log(line) : undefined;

/** How long to look for a shorter form of a play that broke a law, in milliseconds. */
const SHRINK_MS = 60_000;

async function played(choices: Choices): Promise<Played> {
  // Signals are heard between plays.
  await new Promise((go) => setImmediate(go));
  try {
    return await play(choices, { trees, trace, onWorld: (time) => to(time, choices) });
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
let isEnough = false;

function mayGoOn({ plays: tried, broke }: Tally): boolean {
  if (isEnough || (broke > 0 && !values['go-on'])) return false;
  return tried < plays && (tried === 0 || realNow() - began < minutes * 60_000);
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function playSeed(seed: number): Promise<Tally> {
  const before = processorSeconds();
  const choices = choicesOf(seed);
  const result = await played(choices);
  const broke = result.broken.length > 0 ? 1 : 0;
  if (broke > 0) await report(choices, result, `--seed ${seed} --plays 1 --trees ${trees}`);
  return { plays: 1, turns: result.turns, broke, seconds: processorSeconds() - before };
}

/** All plays, in this process or in others. */
async function playOn(): Promise<Tally> {
  process.once('SIGINT', () => void (isEnough = true));
  if (jobs > 1) return campaign(jobs, firstSeed, mayGoOn);
  let all = NOTHING;
  for (let seed = firstSeed; mayGoOn(all); seed++) all = sum(all, await playSeed(seed));
  return all;
}

function tell({ plays: tried, turns, broke, seconds }: Tally): void {
  const took = ((realNow() - began) / 1000).toFixed(1);
  console.log(
    `${tried} plays, ${turns} turns in ${took} s (${Math.round(turns / seconds)} a second of processor time), ` +
      `seeds ${firstSeed} to ${firstSeed + tried - 1}: ${broke} broke a law`,
  );
  process.exit(broke > 0 ? 1 : 0);
}

if (values.worker) work(playSeed);
else if (values.choices === undefined) tell(await playOn());
else {
  const { broken } = await played(chosen(v.parse(Kept, readFileSync(values.choices, 'utf8'))));
  console.log(broken.join('\n'));
  process.exit(broken.length > 0 ? 1 : 0);
}
