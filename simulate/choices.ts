import { randomOf } from '../test/fixtures/random-of.ts';

/**
 * Everything that is left to chance, as whole numbers, of which 0 is the simplest: no fault, the shortest time, the
 * first of several. They are kept in the order in which they were made, so that the same play can be repeated, and a
 * shorter one played from fewer or smaller numbers.
 */
export interface Choices {
  /** The numbers so far. */
  readonly made: readonly number[];
  /** From 0 up to `most`. */
  upTo(most: number): number;
  pick<T>(from: readonly [T, ...T[]] | readonly T[]): T;
  /** @param chance from 0 to 1; where it is 0, nothing is chosen */
  happens(chance: number | undefined): boolean;
  /** From 0 up to 1. */
  fraction(): number;
}

const PARTS = 2 ** 20;

/** Choices at random, by a seed. */
export function choicesOf(seed: number): Choices {
  const random = randomOf(seed);
  return choices((most) => Math.floor(random() * (most + 1)));
}

/** Given choices; those beyond them are 0. */
export function chosen(before: readonly number[]): Choices {
  let next = 0;
  return choices((most) => Math.min(most, before[next++] ?? 0));
}

function choices(choose: (most: number) => number): Choices {
  const made: number[] = [];
  const upTo = (most: number) => {
    if (most <= 0) return 0;
    const number = choose(most);
    made.push(number);
    return number;
  };
  return {
    made,
    upTo,
    pick(from) {
      const one = from[upTo(from.length - 1)];
      if (one === undefined) throw new Error('there is nothing to choose from');
      return one;
    },
    // The highest number is the one that happens.
    happens: (chance = 0) => chance > 0 && upTo(PARTS - 1) >= PARTS - Math.ceil(chance * PARTS),
    fraction: () => upTo(PARTS - 1) / PARTS,
  };
}
