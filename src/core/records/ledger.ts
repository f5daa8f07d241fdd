import type { Allotment } from './allotment.ts';
import {
  add,
  allowance,
  amounts,
  isNothing,
  lesser,
  LIMITS,
  larger,
  missing,
  NOTHING,
  nothingOf,
  plus,
  type Allowance,
  type Amounts,
  type Limit,
} from './amounts.ts';

/**
 * The budget of a run and everything below it, and the part that it has spent. Every run has a ledger of its own, so
 * that runs at work at the same time do not write the same item: a run hands each sub-agent a share of its ledger, in
 * the write that charges the turn that starts them, and takes back the rest.
 *
 * Transfers between two ledgers are running totals that only grow: the giver writes its total first, the taker copies
 * it. Copying twice, late or never does no harm, so that no order of writes, no repetition and no crash between two
 * writes lets a tree exceed its budget. A transfer that is not copied yet has no owner, and is found again.
 *
 * The most that a call can cost is reserved before it is made, and replaced by its actual cost afterwards. A ledger is a
 * value: a store replaces it as a whole or not at all. An operation that changes nothing returns the same
 * ledger.
 */

export interface Ledger {
  /** All that it was ever given; at the top of a tree, the whole budget. */
  received: Allowance;
  /** All that it has given back to its parent. */
  returned: Amounts;
  /** The cost of its own turns, and of sub-agents that are done for good. */
  used: Amounts;
  /**
   * The most that calls with an unknown end may cost, by the invocation that made them. The reservation of a dead
   * invocation stays here for ever: its answer may have been paid for.
   */
  reserved: Record<string, Reservation>;
  /** The shares of sub-agents, by run. */
  shares: Record<string, Share>;
  /** The newest turn that was charged. */
  settled: number;
  /** At the top of a tree that limits per day hold; absent: none do. */
  allotment?: Allotment;
}

export interface Reservation {
  turn: number;
  /** Without turns: a run makes one at a time, however often it tries. */
  amounts: Amounts;
}

/** A sub-agent's share: the amount given, less the amount that it gave back. */
export interface Share {
  given: Allowance;
  /** Absent: nothing so far. */
  back?: Allowance;
}

export function openLedger(received: Allowance): Ledger {
  return { received, returned: NOTHING, used: NOTHING, reserved: {}, shares: {}, settled: 0 };
}

/** The ledger of a sub-agent that has none yet. If its share was taken back before it began, it has nothing. */
export function ledgerOfShare({ given, back }: Share): Ledger {
  return { ...openLedger(given), returned: amounts((limit) => back?.[limit] ?? 0) };
}

/**
 * The amounts that may still be spent or handed on; Infinity if there is no limit.
 * @param turn the turn that needs them: an earlier reservation for the same turn has counted that turn already
 */
export function free(ledger: Ledger, turn?: number): Amounts {
  const { received, returned } = ledger;
  const spent = spentOf(ledger, turn);
  return amounts((limit) => Math.max(0, (received[limit] ?? Infinity) - returned[limit] - spent[limit]));
}

/** The amounts that are gone: spent, reserved, or with sub-agents. */
function spentOf(ledger: Ledger, turn?: number): Amounts {
  const { used, received, settled } = ledger;
  const reservations = Object.values(ledger.reserved);
  const shares = Object.values(ledger.shares);
  const spent = amounts((limit) => {
    const reserved = reservations.reduce((sum, { amounts: most }) => sum + most[limit], used[limit]);
    // A share has no limit that the ledger has not, and there may be hundreds of them.
    return received[limit] === undefined
      ? reserved
      : shares.reduce((sum, share) => sum + heldOf(share, limit), reserved);
  });
  const underWay = reservations.find((one) => one.turn > settled)?.turn;
  if (underWay !== undefined && underWay !== turn) spent.turns += 1;
  return spent;
}

/** Reserves for a turn; the caller makes sure that there is room. */
export function reserve(ledger: Ledger, owner: string, reservation: Reservation): Ledger {
  return { ...ledger, reserved: { ...ledger.reserved, [owner]: reservation } };
}

/** Whether another invocation is making this turn, or has made it. */
export function isBegun(ledger: Ledger, turn: number): boolean {
  return ledger.settled >= turn || Object.values(ledger.reserved).some((one) => one.turn === turn);
}

/** Gives back the reservation of an invocation whose call was not made, or failed for free. */
export function release(ledger: Ledger, owner: string): Ledger {
  if (ledger.reserved[owner] === undefined) return ledger;
  const { [owner]: _own, ...reserved } = ledger.reserved;
  return { ...ledger, reserved };
}

/**
 * Charges a call that failed and has to be paid for nevertheless; its turn is still to be made.
 * @param cost undefined if not known: then everything that was reserved
 */
export function forfeit(ledger: Ledger, owner: string, cost: Amounts | undefined): Ledger {
  const own = ledger.reserved[owner];
  if (own === undefined) return ledger;
  return { ...release(ledger, owner), used: add(ledger.used, cost ?? own.amounts) };
}

/**
 * Replaces what an invocation reserved for a turn with the actual cost, once. If a turn was answered several times,
 * each answer has to be paid for, but only one is kept, and it counts as one turn.
 */
export function charge(ledger: Ledger, owner: string, cost: Amounts): Ledger {
  const own = ledger.reserved[owner];
  if (own === undefined) return ledger;
  const turns = own.turn > ledger.settled ? 1 : 0;
  return {
    ...release(ledger, owner),
    used: add(ledger.used, { ...cost, turns }),
    settled: Math.max(ledger.settled, own.turn),
  };
}

/**
 * Most sub-agents call no others. If a single one held half of the runs that are left, a conversation would have to
 * take some back at every turn from the tenth on; with this limit, one of 50 turns never has to.
 */
const LARGEST_SHARE_OF_RUNS = 1 / 16;

/**
 * Hands an equal share of the free amounts to each of the runs that a turn starts, and keeps one for the run itself.
 * Runs are counted here. A run that has its share already keeps it as it is.
 * @param least the smallest share worth giving; if there is not enough for all, only the first runs get one, and the
 * others ask for theirs
 * @param atOnce how many of the runs begin at once; those that begin later ask for their shares, too
 * @returns how many of the runs, counted from the first, there is room for
 */
export function give(
  ledger: Ledger,
  runs: readonly string[],
  least: Amounts,
  atOnce: number,
): { ledger: Ledger; granted: number } {
  const isNew = (run: string) => ledger.shares[run] === undefined;
  const before = free(ledger);
  const hasRoom = (_: string, index: number) => runs.slice(0, index + 1).filter(isNew).length <= before.runs;
  const granted = runs.filter(hasRoom).length;
  const some = runs.slice(0, granted).filter(isNew);
  if (some.length === 0) return { ledger, granted };
  const counted = { ...ledger, used: add(ledger.used, { ...NOTHING, runs: some.length }) };
  const left = { ...before, runs: before.runs - some.length };
  const affordable = LIMITS.map((limit) =>
    least[limit] > 0 ? Math.floor(left[limit] / least[limit]) - 1 : Infinity,
  );
  const sharers = Math.max(0, Math.min(some.length, atOnce, ...affordable));
  const share = (part: number) =>
    allowance((limit) => {
      if (left[limit] === Infinity) return undefined;
      return Math.floor(left[limit] * (limit === 'runs' ? Math.min(part, LARGEST_SHARE_OF_RUNS) : part));
    });
  const [given, nothing] = [share(1 / (sharers + 1)), share(0)];
  const shares = { ...ledger.shares };
  for (const [index, run] of some.entries()) shares[run] = { given: index < sharers ? given : nothing };
  return { ledger: { ...counted, shares }, granted };
}

/**
 * Reopens the share of a sub-agent that was settled, or opens one for an agent that never had one: the agent has been
 * written to, and continues.
 * @param own its ledger: what it still holds, or has spent beyond that, was counted as spent
 */
export function reopen(ledger: Ledger, run: string, own: Ledger): Ledger {
  if (ledger.shares[run] !== undefined) return ledger;
  const given = larger(own.received, add(own.returned, spentOf(own))) ?? own.received;
  const share = { given, back: own.returned };
  const held = amounts((limit) => (own.received[limit] === undefined ? 0 : heldOf(share, limit)));
  return {
    ...ledger,
    used: missing(ledger.used, held),
    shares: { ...ledger.shares, [run]: share },
  };
}

/** Gives a sub-agent more of the free amounts, as far as that goes. */
export function lend(ledger: Ledger, run: string, wanted: Amounts): Ledger {
  const share = ledger.shares[run];
  const lent = lesser(wanted, free(ledger));
  if (share === undefined || isNothing(lent)) return ledger;
  return { ...ledger, shares: { ...ledger.shares, [run]: { ...share, given: plus(share.given, lent) } } };
}

/** Copies what the parent's ledger says it has given. */
export function receive(ledger: Ledger, given: Allowance): Ledger {
  const received = larger(ledger.received, given);
  return received === undefined ? ledger : { ...ledger, received };
}

/** Gives free amounts back to the parent, as far as the parent wants it. */
export function giveBack(ledger: Ledger, wanted: Amounts): Ledger {
  const left = free(ledger);
  const less = amounts((limit) => (left[limit] === Infinity ? 0 : Math.min(wanted[limit], left[limit])));
  return isNothing(less) ? ledger : { ...ledger, returned: add(ledger.returned, less) };
}

/** The totals of a sub-agent's own ledger. */
export interface Statement {
  /** All that it has given back. */
  returned: Amounts;
  /** The total spent; more than it was given if a provider charged more than it was asked for. */
  spent: Amounts;
  /** Everything that it has copied of its transfers, once nothing more will come: what it still holds is spent. */
  settledAt?: Allowance;
}

/**
 * @param ledger undefined if none was written
 * @param isOver whether its run has its answer; a late invocation may still give back what it reserved
 */
export function statementOf(ledger: Ledger | undefined, isOver = false): Statement {
  if (ledger === undefined) return { returned: NOTHING, spent: NOTHING };
  const isSettled = isOver && Object.keys(ledger.reserved).length === 0;
  const settled = isSettled ? { settledAt: ledger.received } : {};
  return { returned: ledger.returned, spent: spentOf(ledger), ...settled };
}

/** Copies what the ledgers of sub-agents say. */
export function takeBack(ledger: Ledger, of: ReadonlyMap<string, Statement>): Ledger {
  let taken = ledger;
  for (const [run, { returned, spent, settledAt }] of of) {
    const share = taken.shares[run];
    if (share === undefined) continue;
    const given = larger(share.given, add(returned, spent));
    const back = larger(share.back ?? nothingOf(share.given), returned);
    const now = (given ?? back) ? { given: given ?? share.given, back: back ?? share.back ?? {} } : share;
    if (settledAt !== undefined && larger(settledAt, share.given) === undefined) {
      const { [run]: _settled, ...shares } = taken.shares;
      const held = amounts((limit) => heldOf(now, limit));
      taken = { ...taken, shares, used: add(taken.used, held) };
    } else if (now !== share) {
      taken = { ...taken, shares: { ...taken.shares, [run]: now } };
    }
  }
  return taken;
}

/** A sub-agent's share of a limit; 0 if there is no such limit. */
export function heldOf({ given, back }: Share, limit: Limit): number {
  return Math.max(0, (given[limit] ?? 0) - (back?.[limit] ?? 0));
}
