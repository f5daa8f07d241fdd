import { fork } from 'node:child_process';
import * as v from 'valibot';

/** What came of plays. */
export type Tally = v.InferOutput<typeof Tally>;
const Tally = v.object({
  plays: v.number(),
  turns: v.number(),
  /** How many broke a law. */
  broke: v.number(),
  /** Seconds of processor time. */
  seconds: v.number(),
});

export const NOTHING: Tally = { plays: 0, turns: 0, broke: 0, seconds: 0 };

export function sum(one: Tally, other: Tally): Tally {
  return {
    plays: one.plays + other.plays,
    turns: one.turns + other.turns,
    broke: one.broke + other.broke,
    seconds: one.seconds + other.seconds,
  };
}

/**
 * Plays in several processes, which are started like this one, and hands out seeds to them one after another: in the
 * end all seeds up to the last one have been played.
 * @param mayGoOn whether more seeds are to be played after these
 */
export async function campaign(jobs: number, first: number, mayGoOn: (so: Tally) => boolean): Promise<Tally> {
  const [, script = '', ...options] = process.argv;
  let all = NOTHING;
  let next = first;
  const job = () =>
    new Promise<void>((resolve, reject) => {
      const child = fork(script, [...options, '--worker']);
      const handOut = () => {
        if (mayGoOn({ ...all, plays: next - first })) child.send(next++);
        else child.disconnect();
      };
      child.on('message', (tally) => {
        all = sum(all, v.parse(Tally, tally));
        handOut();
      });
      child.on('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`a process of the campaign ended with ${String(code)}`)),
      );
      handOut();
    });
  await Promise.all(Array.from({ length: jobs }, job));
  return all;
}

/** Plays the seeds that are handed to this process, until there are none. */
export function work(play: (seed: number) => Promise<Tally>): void {
  // Ctrl-C is for the process that hands out seeds.
  process.on('SIGINT', () => {});
  process.on('message', (seed) => {
    void play(v.parse(v.number(), seed)).then((tally) => process.send?.(tally));
  });
}
