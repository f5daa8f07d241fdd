import type { Pause } from '../core/records/pause.ts';

/** What lies in the queue of dead letters of an environment, oldest first. */
export interface DeadLetters {
  letters: readonly DeadLetter[];
  /** The pause in which a tick of a schedule that is done again would be passed over; undefined while there is none. */
  pause(): Promise<Pause | undefined>;
  /** Does again what a letter is about, and then deletes it. One that is repeated in vain lies there again. */
  retry(letter: DeadLetter & { again: Again }): Promise<void>;
  delete(letter: DeadLetter): Promise<void>;
  /** Lets others see what is still there. */
  close(): Promise<void>;
}

/** A message of the queue of dead letters, in words, with what brings it to its end after all. */
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
  /** How it is done again; undefined: it is not known, or only people can. */
  again?: Again;
}

/** A function that is handed the event once more, or a machine that is started with it. Both do nothing twice. */
export type Again = { function: string; event: unknown } | { machine: string; input: unknown };
