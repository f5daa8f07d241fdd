import type { RunEvent } from './event.ts';

/** Something that happened in a tree. */
export interface TreeEvent {
  /** Milliseconds since 1970. */
  at: number;
  event: RunEvent;
  /** With the end of a turn, or a piece of its answer: how much of that answer was told while it was being written. */
  before?: {
    characters: number;
    /** Whether it is part of a failed attempt, so that none of it counts. */
    isVoid: boolean;
  };
  /** With the end of a run: the turn that was told to have begun and never ends, and whether part of its answer was. */
  unfinished?: { turn: number; isWriting: boolean };
}

/** An event as followers get it. */
export interface ToldEvent extends TreeEvent {
  /** How many of the parts that a reader makes of it were handed on before; absent: none. */
  skip?: number;
  /**
   * Where to continue after it, or after this many of its parts; to be read before the next event is.
   * @returns a text that `fromCursor` reads
   */
  cursor(parts?: number): string;
}

/** A reader that is slow gets the pieces of a text together, up to so many characters. */
export const MAX_PIECE_CHARACTERS = 32_000;

/** How long the end of a tree waits for the records of its runs to be closed. */
export const CLOSING_MS = 30_000;
