import type { Choices } from '../choices.ts';
import { TOOLS } from './lines.ts';

/** Some of these die more often than others in a play. */
const FUNCTIONS = [
  'none',
  'ControlFunction',
  'TurnFunction',
  'ToolFunction',
  'OpenFunction',
  'settle',
  'wake',
];

/** The conditions of one play: where it takes place, what goes wrong, and how often. */
export function conditionsOf({ happens, pick }: Choices) {
  /** A folder, in which only whole processes fail, with everything that they carry; otherwise an account. */
  const isFolder = happens(0.2);
  const isRough = !isFolder && happens(0.7);
  const rough = (...of: number[]) => (isRough ? pick([0, ...of]) : 0);
  const chances = {
    death: rough(0.005, 0.03),
    frail: pick(FUNCTIONS),
    throttle: rough(0.01, 0.05),
    duplicate: rough(0.05, 0.3),
    lateness: pick([60, 10_000, 300_000]),
    impatience: rough(0.1, 0.3),
    freeze: rough(0.001),
    warmth: pick([0, 0.9, 0.5]),
    conflict: rough(0.1, 0.5),
    refusal: rough(0.05, 0.3),
  };
  const delivery = { lost: rough(0.3, 1), doubled: rough(0.5), late: rough(0.5) };
  /** How often the schedule of sweeps ticks in vain. */
  const lostTicks = rough(0.3);
  /** How often somebody looks at all trees, at a write. */
  const looks = pick([0, 0, 0.02, 0.2]);
  const favourites = TOOLS.filter(() => happens(0.2));
  /** Whether a limit per day holds all trees: not a choice of its own, so that seeds keep their meaning. */
  const isLimited = favourites.length === 2;
  /** Whether agents of others are called: likewise. */
  const hasOthers = favourites.length === 3;
  /** Whether models are asked in batches: likewise. */
  const isBatched = !isFolder && favourites.length === 4;
  /** How often a provider is wrong about what an answer has used: likewise. */
  const lies = favourites.includes('look') ? 0.1 : 0;
  /** How often people leave a question open when they come by: likewise. */
  const neglect = favourites.includes('deed') ? 0.8 : 0;
  if (isBatched) chances.frail = pick([chances.frail, 'BatchFunction']);
  const trouble = rough(0.02, 0.1);
  /** How often somebody stops an agent, or writes to one that has answered, while its answer is being stored. */
  const haste = rough(0.05, 0.2);
  const diligence = pick([0.6, 0.9, 0.95]);
  return {
    isFolder,
    isRough,
    rough,
    chances,
    delivery,
    lostTicks,
    looks,
    favourites,
    isLimited,
    hasOthers,
    isBatched,
    lies,
    neglect,
    trouble,
    haste,
    diligence,
  };
}
