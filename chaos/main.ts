import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { attack } from './campaign.ts';
import { CAMPAIGNS } from './campaigns.ts';

/**
 * Attacks the core, and prints what broke: `npm run chaos -- --minutes 60`. Each attack has a seed of its own, so that
 * one that broke something can be made again alone.
 */

const { values } = parseArgs({
  options: {
    campaign: { type: 'string', multiple: true },
    minutes: { type: 'string', default: '4' },
    seed: { type: 'string' },
    /** Of each campaign, at most. */
    attacks: { type: 'string', default: 'Infinity' },
    /** Ends a campaign with the first that broke something. */
    first: { type: 'boolean', default: false },
  },
});
const names = values.campaign ?? CAMPAIGNS.map(({ name }) => name);
const chosen = names.map((name) => {
  const campaign = CAMPAIGNS.find((one) => one.name === name);
  if (campaign !== undefined) return campaign;
  throw new Error(`no campaign "${name}", but: ${CAMPAIGNS.map((one) => one.name).join(', ')}`);
});
const [minutes, most] = [Number(values.minutes), Number(values.attacks)];
const firstSeed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
if (![minutes, most, firstSeed].every((value) => value >= 0)) {
  throw new Error('--minutes, --attacks and --seed take numbers');
}

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
