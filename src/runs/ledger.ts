/**
 * What a run may spend with everything below it, and what it has spent. Every run has a ledger of its own, so that runs
 * at work at once do not write the same item: a run hands a share of its ledger to each sub-agent, in the write that
 * charges the turn that asks for them, and takes back what is left when it gathers their results. Never over, because
 * whatever grows does so after what it grows at the cost of has shrunk; and nothing is lost, because a share is spent or
 * taken back.
 *
 * What a call can cost at most is reserved before it is made, and settled to what it did cost. A ledger is a value;
 * whoever keeps it replaces it as a whole or not at all.
 */

/**
 * Agents that call each other, or themselves, could come to 100 runs to the power of their depth. Whoever wants more
 * than this of one question splits it into several.
 */
export const MAX_RUNS_PER_TREE = 1000;

/** What is counted. Dollars are kept in billionths, as integers, so that sums are exact. */
export const LIMITS = ['tokens', 'nanoUsd', 'turns', 'toolCalls', 'runs'] as const;
export type Limit = (typeof LIMITS)[number];
export type Amounts = Record<Limit, number>;
/** Absent: no limit. */
export type Allowance = Partial<Amounts>;

export interface Ledger {
  /** What it may spend or hand on; more may be asked of the run one level up. */
  allowance: Allowance;
  /** Settled: its own turns, and what it has taken back from sub-agents less what they left. */
  used: Amounts;
  /** What the turn under way may cost at most. A run makes one turn at a time. */
  reserved?: Reservation;
  /** What sub-agents hold of it, by run. */
  given: Record<string, Allowance>;
  /** The newest turn that was charged. */
  settled: number;
  /** The newest turn whose calls would have passed the limit of calls. */
  refused?: number;
  /** Its run has ended: late writers change nothing any more. */
  closed?: true;
}

export interface Reservation {
  turn: number;
  /** The invocation that made it, of which a turn may have several. */
  owner: string;
  amounts: Amounts;
}

/** A limit that was reached: a normal end of a run. */
export interface Exceeded {
  limit: Limit;
  used: number;
  max: number;
  /** What the call could have cost at most that was refused; absent where no call was. */
  next?: number;
  /** What other calls under way may cost at most. */
  reserved?: number;
}

export const NOTHING: Amounts = { tokens: 0, nanoUsd: 0, turns: 0, toolCalls: 0, runs: 0 };

export function openLedger(allowance: Allowance): Ledger {
  return { allowance, used: NOTHING, given: {}, settled: 0 };
}

/** What is neither spent nor reserved nor handed on; Infinity where there is no limit. */
export function free(ledger: Ledger): Amounts {
  const { allowance, reserved, given } = ledger;
  const held = Object.values(given);
  return amounts((limit) => {
    const most = allowance[limit];
    if (most === undefined) return Infinity;
    const taken = held.reduce((sum, share) => sum + (share[limit] ?? 0), ledger.used[limit]);
    return Math.max(0, most - taken - (reserved?.amounts[limit] ?? 0));
  });
}

/** The first limit that does not leave so much free. */
export function limitBelow(left: Amounts, wanted: Amounts): Limit | undefined {
  return LIMITS.find((limit) => wanted[limit] > left[limit]);
}

/**
 * The ledger with nothing reserved any more: what another invocation had reserved, which died or is still at it, counts
 * as used. Its answer may be paid, whoever hears it.
 */
export function absorb(ledger: Ledger): Ledger {
  const { reserved, ...open } = ledger;
  return reserved === undefined ? ledger : { ...open, used: add(ledger.used, reserved.amounts) };
}

/** Reserves for a turn; whether there is room is the caller's to know. A run that goes on opens its ledger again. */
export function reserve(ledger: Ledger, reserved: Reservation): Ledger {
  const { closed: _closed, ...open } = absorb(ledger);
  return { ...open, reserved };
}

/** Gives back what an invocation reserved, and nothing that is another's: its call was not made, or failed for free. */
export function release(ledger: Ledger, owner: string): Ledger {
  const { reserved, ...open } = ledger;
  return reserved?.owner === owner ? open : ledger;
}

/**
 * Charges a call that failed and has to be paid all the same; the turn is still to be made.
 * @param cost undefined where nobody knows it: all that was reserved
 */
export function forfeit(ledger: Ledger, owner: string, cost: Amounts | undefined): Ledger {
  const { reserved, ...open } = ledger;
  if (reserved?.owner !== owner) return ledger;
  return { ...open, used: add(open.used, { ...(cost ?? reserved.amounts), turns: 0 }) };
}

/**
 * Puts what a turn did cost in place of what was reserved for it. A turn whose reservation is gone is charged all the
 * same, once. Calls that would pass the limit of calls are refused and not counted; what the model used counts.
 * @param owner undefined for a turn that is kept, whoever made it
 * @returns the same ledger if there is nothing to charge
 */
export function charge(ledger: Ledger, turn: number, owner: string | undefined, cost: Amounts): Ledger {
  if (ledger.closed) return ledger;
  const { reserved } = ledger;
  const isOwn = reserved?.turn === turn && (owner === undefined || reserved.owner === owner);
  if (!isOwn && turn <= ledger.settled) return ledger;
  const { reserved: _reserved, ...open } = ledger;
  const base = { ...(isOwn ? open : ledger), settled: Math.max(turn, ledger.settled) };
  const isRefused = cost.toolCalls > free(base).toolCalls;
  const used = add(base.used, isRefused ? { ...cost, toolCalls: 0 } : cost);
  return { ...base, used, ...(isRefused && { refused: turn }) };
}

/**
 * Hands an equal share of what is free to each of some runs, and keeps one for the run itself. Runs are counted here.
 * @param max of the runs, so many as there is room for are given, the first ones first
 */
export function give(ledger: Ledger, runs: readonly string[]): { ledger: Ledger; granted: number } {
  const granted = Math.min(runs.length, free(ledger).runs);
  const counted = { ...ledger, used: add(ledger.used, { ...NOTHING, runs: granted }) };
  const left = free(counted);
  const share = allowance((limit) =>
    left[limit] === Infinity ? undefined : Math.min(MOST_OF[limit], Math.floor(left[limit] / (granted + 1))),
  );
  const given = { ...ledger.given };
  for (const run of runs.slice(0, granted)) given[run] = share;
  return { ledger: { ...counted, given }, granted };
}

/**
 * Most sub-agents call none themselves. If each held half of the runs that are left, a conversation would have to take
 * some back at every turn from the tenth on; with so many, one of 50 turns never does.
 */
const MOST_OF: Amounts = {
  tokens: Infinity,
  nanoUsd: Infinity,
  turns: Infinity,
  toolCalls: Infinity,
  runs: 16,
};

/** Hands a run more of what is free, as far as it goes. */
export function lend(ledger: Ledger, run: string, wanted: Amounts): { ledger: Ledger; lent: Amounts } {
  const left = free(ledger);
  const lent = amounts((limit) => Math.min(wanted[limit], left[limit]));
  const held = ledger.given[run] ?? nothingOf(ledger.allowance);
  const given = { ...ledger.given, [run]: plus(held, lent) };
  return { ledger: { ...ledger, given }, lent };
}

/** Takes back what runs hold and have not spent, which they have been told. */
export function unlend(ledger: Ledger, taken: ReadonlyMap<string, Amounts>): Ledger {
  const given = { ...ledger.given };
  for (const [run, less] of taken) {
    const held = given[run];
    if (held !== undefined)
      given[run] = plus(
        held,
        amounts((limit) => -less[limit]),
      );
  }
  return { ...ledger, given };
}

/** Takes from what is free, for a run that needs it more. */
export function shrink(ledger: Ledger, wanted: Amounts): { ledger: Ledger; taken: Amounts } {
  const left = free(ledger);
  const taken = amounts((limit) => (left[limit] === Infinity ? 0 : Math.min(wanted[limit], left[limit])));
  return {
    ledger: grow(
      ledger,
      amounts((limit) => -taken[limit]),
    ),
    taken,
  };
}

export function grow(ledger: Ledger, more: Amounts): Ledger {
  return { ...ledger, allowance: plus(ledger.allowance, more) };
}

/** Counts what sub-agents have spent, each once, and takes back what they held. */
export function gather(ledger: Ledger, spent: ReadonlyMap<string, Amounts>): Ledger {
  const ended = Object.keys(ledger.given).filter((run) => spent.has(run));
  if (ended.length === 0) return ledger;
  const given = Object.fromEntries(Object.entries(ledger.given).filter(([run]) => !spent.has(run)));
  return {
    ...ledger,
    given,
    used: ended.reduce((sum, run) => add(sum, spent.get(run) ?? NOTHING), ledger.used),
  };
}

/** `budget exceeded: used 9800 of 10000 tokens`, in words for people and for a parent's model. */
export function exceededText({ limit, used, max, next, reserved = 0 }: Exceeded): string {
  const show = (amount: number) => (limit === 'nanoUsd' ? `$${toUsd(amount)}` : String(amount));
  const unit = { tokens: ' tokens', nanoUsd: '', turns: ' turns', toolCalls: ' tool calls', runs: ' runs' };
  const text = `budget exceeded: used ${show(used)} of ${show(max)}${unit[limit]}`;
  if (next === undefined || (limit !== 'tokens' && limit !== 'nanoUsd')) return text;
  const underWay = reserved > 0 ? `, and calls under way up to ${show(reserved)}` : '';
  return `${text}; the next call could cost up to ${show(next)}${underWay}`;
}

/** Four decimals, and for tiny amounts as many more as their first two digits take. */
function toUsd(nanoUsd: number): string {
  const decimals = nanoUsd === 0 ? 4 : Math.min(9, 11 - String(nanoUsd).length);
  return (nanoUsd / 1e9).toFixed(Math.max(4, decimals));
}

export function add(one: Amounts, other: Amounts): Amounts {
  return amounts((limit) => one[limit] + other[limit]);
}

export function amounts(of: (limit: Limit) => number): Amounts {
  return {
    tokens: of('tokens'),
    nanoUsd: of('nanoUsd'),
    turns: of('turns'),
    toolCalls: of('toolCalls'),
    runs: of('runs'),
  };
}

/** A share of nothing yet, with the limits that there are. */
export function nothingOf(limits: Allowance): Allowance {
  return allowance((limit) => (limits[limit] === undefined ? undefined : 0));
}

/** Where there is no limit, there is none after it either. */
function plus(one: Allowance, more: Amounts): Allowance {
  return allowance((limit) => {
    const before = one[limit];
    return before === undefined ? undefined : before + more[limit];
  });
}

function allowance(of: (limit: Limit) => number | undefined): Allowance {
  const entries = LIMITS.map((limit) => [limit, of(limit)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
