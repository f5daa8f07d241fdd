import { randomInt } from 'node:crypto';
import { readOptions, refuse } from '../scripts/options.mjs';
import { attack } from './campaign.ts';
import { CAMPAIGNS } from './campaigns.ts';

/**
 * Attacks the core, and prints what broke: `npm run chaos -- --minutes 60`. Each attack has a seed of its own, so that
 * one that broke something can be made again alone.
 */

const values = readOptions('npm run chaos -- [options]: attacks the core, and prints what broke', {
  campaign: { type: 'string', multiple: true, help: 'one of them; may be given several times' },
  minutes: { type: 'number', default: 4, help: 'for how long in all' },
  seed: { type: 'whole', help: 'of the first attack; each attack has the next one' },
  attacks: { type: 'number', default: Infinity, help: 'how many of each campaign' },
  first: { type: 'boolean', help: 'ends a campaign with the first attack that broke something' },
});
const { minutes, attacks: most, seed: firstSeed = randomInt(2 ** 31) } = values;
const names = values.campaign ?? CAMPAIGNS.map(({ name }) => name);
const chosen = names.map(
  (name) =>
    CAMPAIGNS.find((one) => one.name === name) ??
    refuse(`--campaign takes one of ${CAMPAIGNS.map((one) => one.name).join(', ')}`),
);

const rows: Record<string, { tried: number; broke: number; seed: number; 'what was tried': string }> = {};
for (const { name, tries, open } of chosen) {
  const campaign = await open();
  const end = Date.now() + (minutes * 60_000) / chosen.length;
  let tried = 0;
  let broke = 0;
  for (; tried < most && (tried === 0 || Date.now() < end) && !(values.first && broke > 0); tried++) {
    const seed = firstSeed + tried;
    const broken = await attack(campaign, seed);
    if (broken.length === 0) continue;
    broke += 1;
    console.log(`${name}: ${broken.join('\n  ')}`);
    console.log(`  again: npm run chaos -- --campaign ${name} --seed ${seed} --attacks 1\n`);
  }
  await campaign.close();
  rows[name] = { tried, broke, seed: firstSeed, 'what was tried': tries };
}
console.table(rows);
if (Object.values(rows).some(({ broke }) => broke > 0)) process.exitCode = 1;
