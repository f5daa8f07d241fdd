import type { Pause } from '../core/records/pause.ts';

/** The messages in the queue of dead letters of an environment, oldest first. */
export interface DeadLetters {
  letters: readonly DeadLetter[];
  /** The pause during which a repeated tick of a schedule would be skipped; undefined: there is none. */
  pause(): Promise<Pause | undefined>;
  /** Repeats what a letter is about, and then deletes it. If the repetition fails, the letter comes back. */
  retry(letter: DeadLetter & { again: Again }): Promise<void>;
  delete(letter: DeadLetter): Promise<void>;
  /** Lets others see what is still there. */
  close(): Promise<void>;
}

/** A message of the queue of dead letters, in words, with the way to repeat it. */
export interface DeadLetter {
  /** The message's. */
  id: string;
  /** When it was given up, in milliseconds since 1970. */
  at: number;
  /** What did not happen. */
  what: string;
  /** The run that it is about, if it is about one. */
  run?: string;
  /** Why it did not. */
  why: string;
  /** How it is repeated; undefined: not known, or only people can. */
  again?: Again;
}

/** A function that gets the event again, or a machine that is started with it. Both are idempotent. */
export type Again = { function: string; event: unknown } | { machine: string; input: unknown };
