import fc from 'fast-check';
import { rm } from 'node:fs/promises';
import { randomOf } from '../test/fixtures/random-of.ts';
import { makeFolder } from '../test/fixtures/temp-folder.ts';

/** One kind of attack on the core, made again and again with other seeds. */
export interface Campaign {
  name: string;
  /** The subject of the attack, for the table. */
  tries: string;
  open(): Promise<OpenCampaign>;
}

export interface OpenCampaign {
  /** @returns the faults found: none, if all is well */
  attack(trial: Trial): Promise<string[]>;
  close(): Promise<void>;
}

/** One attack. Its actions follow from its seed, but for the moments at which processes get to work. */
export interface Trial {
  /** A whole number from `least` to `most`. */
  number(least: number, most: number): number;
  pick<T>(some: readonly T[]): T;
  sample<T>(arbitrary: fc.Arbitrary<T>): T;
  /** A folder that is gone when the attack is over. */
  folder: typeof makeFolder;
  /** Done when the attack is over, the last first. */
  defer(work: () => unknown): void;
}

/** Makes one attack. An exception that it throws is a fault, too. */
export async function attack({ attack: work }: OpenCampaign, seed: number): Promise<string[]> {
  const random = randomOf(seed);
  const deferred: (() => unknown)[] = [];
  const number = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  const trial: Trial = {
    number,
    pick: (some) => one(some[number(0, some.length - 1)]),
    sample: (arbitrary) => one(fc.sample(arbitrary, { seed: number(0, 2 ** 31 - 1), numRuns: 1 })[0]),
    async folder(entries) {
      const folder = await makeFolder(entries);
      deferred.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
      return folder;
    },
    defer: (undo) => void deferred.push(undo),
  };
  try {
    return await work(trial);
  } catch (thrown) {
    return [thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)];
  } finally {
    for (const undo of deferred.reverse()) await undo();
  }
}

function one<T>(of: T | undefined): T {
  if (of === undefined) throw new Error('there is nothing to choose from');
  return of;
}
