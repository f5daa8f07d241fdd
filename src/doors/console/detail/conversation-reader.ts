import { messageOf } from '../../../errors.ts';
import type { Conversation } from '../../../core/reports/run-schemas.ts';
import { toTurns, type TurnBlock } from './turns.ts';

/** How many turns are fetched at a time. */
const PART = 25;
/** How many turns stay in memory while new ones come: watching a run for days must not fill it. */
const MOST = 200;
/** At least so many milliseconds are between two looks. */
const PAUSE_MS = 300;

/** Reads a part of a run's conversation: from one turn to another, or to the newest. */
export type ReadPart = (
  run: string,
  turns: { from: number; to?: number | undefined },
  signal: AbortSignal,
) => Promise<Conversation>;

/** The loaded part of a conversation. */
export interface ShownConversation {
  /** The messages before the first turn: the inherited ones, and the task. */
  before: Conversation['messages'];
  /** In order. Turns between the first and the newest ones may be missing. */
  turns: readonly TurnBlock[];
  /** The server's newest answer about any part; undefined before the first. */
  newest: Conversation | undefined;
  error: string | undefined;
}

/** Reads the conversation of a run: its beginning, its newest turns, and those in between on demand. */
export class ConversationReader {
  readonly #run: string;
  readonly #readPart: ReadPart;
  readonly #onChange: (shown: ShownConversation) => void;
  readonly #turns = new Map<number, TurnBlock>();
  readonly #ending = new AbortController();
  #shown: ShownConversation = { before: [], turns: [], newest: undefined, error: undefined };
  /** Whether a reader has scrolled back, so that nothing may be dropped. */
  #keepsAll = false;
  #isLooking = false;
  #isStale = false;

  constructor(run: string, readPart: ReadPart, onChange: (shown: ShownConversation) => void) {
    this.#run = run;
    this.#readPart = readPart;
    this.#onChange = onChange;
  }

  /** Reads new parts, one look at a time. @param made how many turns there are, as far as is known */
  async look(made: number): Promise<void> {
    this.#isStale = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#isStale && !this.#ending.signal.aborted) {
      this.#isStale = false;
      await this.#readNewest(made).catch((thrown: unknown) => this.#tell({ error: messageOf(thrown) }));
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    this.#isLooking = false;
  }

  /** Reads turns in front of this one. */
  async readBefore(turn: number): Promise<void> {
    this.#keepsAll = true;
    await this.#read(Math.max(1, turn - PART), turn - 1);
  }

  close(): void {
    this.#ending.abort();
  }

  async #readNewest(made: number): Promise<void> {
    // The newest known turn is read again: its calls may have ended since.
    const newest = Math.max(0, ...this.#turns.keys());
    if (newest > 0) return this.#read(newest);
    const from = Math.max(1, made - PART + 1);
    if (from > 1) await this.#read(1, 1);
    await this.#read(from);
  }

  async #read(from: number, to?: number): Promise<void> {
    const part = await this.#readPart(this.#run, { from, to }, this.#ending.signal);
    const { before, turns } = toTurns(part.messages, from);
    for (const turn of turns) this.#turns.set(turn.turn.number, turn);
    if (!this.#keepsAll) this.#forgetOldest();
    this.#tell({
      ...(from === 1 && { before }),
      turns: [...this.#turns.values()].sort((one, other) => one.turn.number - other.turn.number),
      newest: part,
      error: undefined,
    });
  }

  /** All but the first one, with the task, are left to be read again. */
  #forgetOldest(): void {
    const surplus = Math.max(0, this.#turns.size - MOST);
    const numbers = [...this.#turns.keys()].sort((one, other) => one - other);
    for (const number of numbers.slice(1, 1 + surplus)) this.#turns.delete(number);
  }

  #tell(news: Partial<ShownConversation>): void {
    if (this.#ending.signal.aborted) return;
    this.#shown = { ...this.#shown, ...news };
    this.#onChange(this.#shown);
  }
}
