/**
 * One ledger for a tree. What a call can cost at most is reserved before it is made and settled to what it did cost,
 * so branches that run at once cannot overshoot together. A ledger is a value; whoever keeps it replaces it as a whole
 * or not at all (`src/store/ledgers.ts`).
 */

/** What a tree may spend, or has spent. Dollars are kept in billionths, as integers, so that sums are exact. */
export interface Amounts {
  tokens: number;
  nanoUsd: number;
  turns: number;
  toolCalls: number;
}

export interface Ledger {
  /** 0: no limit. */
  limits: Amounts;
  /** Settled. */
  used: Amounts;
  /** What calls under way may cost at most, by run and turn. */
  reserved: Record<string, { run: string; turn: number; amounts: Amounts }>;
  /** Turns whose calls would have passed the limit of calls, so that a repeated turn hears the same again. */
  refused: string[];
}

/** A limit that was reached: a normal end of a run. */
export interface Exceeded {
  limit: keyof Amounts;
  used: number;
  max: number;
  /** What the call could have cost at most that was refused; absent where no call was. */
  next?: number;
  /** What other calls under way may cost at most. */
  reserved?: number;
}

const NOTHING: Amounts = { tokens: 0, nanoUsd: 0, turns: 0, toolCalls: 0 };
const LIMITS = ['tokens', 'nanoUsd', 'turns', 'toolCalls'] as const;

export function openLedger(limits: Amounts): Ledger {
  return { limits, used: NOTHING, reserved: {}, refused: [] };
}

/** What is neither used nor reserved; Infinity where there is no limit. A turn's own reservation counts as free. */
export function left(ledger: Ledger, run: string, turn: number): Amounts {
  const others = Object.entries(ledger.reserved).filter(([name]) => name !== nameOf(run, turn));
  const taken = others.reduce((sum, [, { amounts }]) => add(sum, amounts), ledger.used);
  return map((limit) =>
    ledger.limits[limit] === 0 ? Infinity : Math.max(0, ledger.limits[limit] - taken[limit]),
  );
}

/** Reserves for one turn, in place of what was reserved for it before, or says which limit is in the way. */
export function reserve(
  ledger: Ledger,
  run: string,
  turn: number,
  amounts: Amounts,
): { ledger: Ledger } | { exceeded: Exceeded } {
  const free = left(ledger, run, turn);
  const limit = LIMITS.find((name) => amounts[name] > free[name]);
  if (limit !== undefined) {
    const exceeded = exceededOf(ledger, limit);
    const taken = exceeded.max - exceeded.used - free[limit];
    return { exceeded: { ...exceeded, ...(taken > 0 && { reserved: taken }) } };
  }
  const reserved = { ...ledger.reserved, [nameOf(run, turn)]: { run, turn, amounts } };
  return { ledger: { ...ledger, reserved } };
}

/**
 * Turns a reservation into what the turn did cost. A turn without a reservation was settled before: nothing changes.
 * Calls that would pass the limit of calls are refused and not counted; what the model used counts all the same.
 */
export function settle(
  ledger: Ledger,
  run: string,
  turn: number,
  cost: Amounts,
): { ledger: Ledger; exceeded?: Exceeded } {
  const name = nameOf(run, turn);
  if (ledger.refused.includes(name)) return { ledger, exceeded: exceededOf(ledger, 'toolCalls') };
  if (ledger.reserved[name] === undefined) return { ledger };
  const settled = release(ledger, run, turn);
  if (cost.toolCalls <= left(settled, run, turn).toolCalls) {
    return { ledger: { ...settled, used: add(settled.used, cost) } };
  }
  const used = add(settled.used, { ...cost, toolCalls: 0 });
  const refusing = { ...settled, used, refused: [...settled.refused, name] };
  return { ledger: refusing, exceeded: exceededOf(refusing, 'toolCalls') };
}

/**
 * Turns a reservation into the cost of a call that came to nothing and has to be paid; into all that was reserved where
 * the cost is not known. It is no turn: that is still to be made.
 */
export function charge(
  ledger: Ledger,
  run: string,
  turn: number,
  cost: Pick<Amounts, 'tokens' | 'nanoUsd'> | 'unknown',
): Ledger {
  const reserved = ledger.reserved[nameOf(run, turn)];
  if (reserved === undefined) return ledger;
  const { tokens, nanoUsd } = cost === 'unknown' ? reserved.amounts : cost;
  const used = add(ledger.used, { tokens, nanoUsd, turns: 0, toolCalls: 0 });
  return { ...release(ledger, run, turn), used };
}

/** Gives a reservation back: the call was not made, or failed. */
export function release(ledger: Ledger, run: string, turn: number): Ledger {
  const { [nameOf(run, turn)]: _, ...reserved } = ledger.reserved;
  return { ...ledger, reserved };
}

/** The turns of a run for which something is still reserved. */
export function openReservations(ledger: Ledger, run: string): number[] {
  return Object.values(ledger.reserved).flatMap((one) => (one.run === run ? [one.turn] : []));
}

/**
 * `budget exceeded: used 9800 of 10000 tokens; the next call could cost up to 3100`, in words for people and for a
 * parent's model.
 */
export function exceededText({ limit, used, max, next, reserved }: Exceeded): string {
  const amount = (value: number) => (limit === 'nanoUsd' ? `$${toUsd(value)}` : String(value));
  const unit = { tokens: ' tokens', nanoUsd: '', turns: ' turns', toolCalls: ' tool calls' }[limit];
  const text = `budget exceeded: used ${amount(used)} of ${amount(max)}${unit}`;
  if (next === undefined || limit === 'turns') return text;
  const others = reserved === undefined ? '' : `, and calls under way up to ${amount(reserved)}`;
  return `${text}; the next call could cost up to ${amount(next)}${others}`;
}

function exceededOf(ledger: Ledger, limit: keyof Amounts): Exceeded {
  return { limit, used: ledger.used[limit], max: ledger.limits[limit] };
}

/** Four decimals, and for tiny amounts as many more as their first two digits take. */
function toUsd(nanoUsd: number): string {
  const decimals = nanoUsd === 0 ? 4 : Math.min(9, 11 - String(nanoUsd).length);
  return (nanoUsd / 1e9).toFixed(Math.max(4, decimals));
}

function nameOf(run: string, turn: number): string {
  return `${run}/${turn}`;
}

function add(one: Amounts, other: Amounts): Amounts {
  return map((limit) => one[limit] + other[limit]);
}

function map(of: (limit: keyof Amounts) => number): Amounts {
  return { tokens: of('tokens'), nanoUsd: of('nanoUsd'), turns: of('turns'), toolCalls: of('toolCalls') };
}
