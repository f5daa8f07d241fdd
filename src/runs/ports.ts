import type { CallKey, CallMark, CallResult } from './call.ts';
import type { Ledger } from './ledger.ts';
import type { Opened, Run, RunRequest, Turn } from './run.ts';
import type { Listing } from './tool-server.ts';

/** What the steps of a conversation are handed to reach the world. */

/** Where ledgers are kept: one for each run that has spent or handed on anything that is limited. */
export interface Ledgers {
  ledger(run: string): Promise<Ledger | undefined>;
  /**
   * Replaces a run's ledger by what `change` makes of the newest one; `change` may run more than once. Nothing is written
   * where it gives the same ledger back, or none.
   * @param known what was read here, be it nothing, which saves reading it once more where nobody has changed it since
   * @returns what `change` gave for the ledger that is kept now
   */
  changeLedger<T extends { ledger: Ledger | undefined }>(
    run: string,
    change: (ledger: Ledger | undefined) => T,
    known?: { ledger: Ledger | undefined },
  ): Promise<T>;
}

/** Until when the APIs of models are left alone, for all runs that use them. */
export interface Cooldowns {
  /** Milliseconds since 1970; 0 where there is none. */
  cooldownOf(model: string): Promise<number>;
  coolDown(model: string, until: number): Promise<void>;
}

/** What is known of calls that functions carry out. */
export interface Calls {
  callResult(at: CallKey): Promise<CallResult | undefined>;
  /** @returns what is kept now: the first one written wins, so a call happens once */
  saveCallResult(at: CallKey, result: CallResult): Promise<CallResult>;
  /** Who has begun a call. */
  callMark(at: CallKey): Promise<CallMark | undefined>;
  /**
   * Marks a call as begun.
   * @param over the mark of somebody who is gone, which is replaced
   * @returns the mark that is kept now, which may be another one's
   */
  markCall(at: CallKey, mark: CallMark, over?: CallMark): Promise<CallMark>;
  /** The version of a file that a run has read, or written itself. */
  seenVersion(run: string, path: string): Promise<string | undefined>;
  noteSeen(run: string, path: string, version: string): Promise<void>;
}

/** What servers of tools offered when they were asked last. */
export interface Listings {
  /** @param server what stands for the server and for what is wanted of it */
  listing(server: string): Promise<Listing | undefined>;
  saveListing(server: string, listing: Listing): Promise<void>;
}

/** Where runs are kept. Everything but the light record of a run is written once. */
export interface RunStore extends Ledgers, Cooldowns, Calls, Listings {
  /** What was asked for at the top of a tree, if it was left in the store. */
  request(id: string): Promise<RunRequest | undefined>;
  saveRequest(id: string, request: RunRequest): Promise<void>;

  opened(id: string): Promise<Opened | undefined>;
  /** @returns what is kept now: the first one written wins */
  saveOpened(id: string, opened: Opened): Promise<Opened>;

  /** All turns so far, in order. */
  turns(id: string): Promise<Turn[]>;
  turn(id: string, number: number): Promise<Turn | undefined>;
  newestTurn(id: string): Promise<Turn | undefined>;
  /** @returns what is kept now: the first one written wins, so a turn happens once */
  saveTurn(id: string, turn: Turn): Promise<Turn>;

  run(id: string): Promise<Run | undefined>;
  /** Keeps a new run. @returns what is kept now: the first one written wins */
  insertRun(run: Run): Promise<Run>;
  /**
   * Replaces the record by what `change` makes of the newest one; `change` may run more than once.
   * @param known the record as it was read here, which saves reading it once more where nobody has changed it since
   * @returns the record as it is kept now, or undefined if there is none
   */
  updateRun(id: string, change: (run: Run) => Run, known?: Run): Promise<Run | undefined>;

  /** Every run of the tree that the run belongs to, the top first, in the order in which they were asked for. */
  tree(id: string): Promise<Run[]>;
  /**
   * The tops of all trees, newest first.
   * @param after the id of a top: only what is older than it
   */
  roots(limit: number, after?: string): AsyncIterable<Run>;

  /**
   * Removes the whole tree that the run belongs to, with everything that is kept of its runs. Nobody may carry it out.
   * What is cut short can be repeated. Keys that callers chose for it stay bound.
   */
  deleteTree(id: string): Promise<void>;

  /**
   * Binds a key that a caller chose to the run that it asks for with it.
   * @returns what the key is bound to now: the first binding stays
   */
  bind(key: string, binding: Binding): Promise<Binding>;
}

/** What a caller's key stands for. */
export interface Binding {
  run: string;
  /** Of everything that was asked for. */
  digest: string;
}
