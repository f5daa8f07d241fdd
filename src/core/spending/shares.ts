import {
  free,
  giveBack,
  lend,
  receive,
  reopen,
  takeBack,
  heldOf,
  ledgerOfShare,
  type Ledger,
  statementOf,
  type Statement,
  type Share,
} from '../records/ledger.ts';
import {
  add,
  limitsBelow,
  amounts,
  EVERYTHING,
  isNothing,
  lesser,
  missing,
  NOTHING,
  LIMITS,
  type Allowance,
  type Amounts,
} from '../records/amounts.ts';
import { AT_REST, isIn } from '../records/phase.ts';
import { isBeside, type Run } from '../records/run.ts';
import { NO_REFILL, refilled, type Refill, type ShareStore } from './refill.ts';
import type { AllotPorts } from './allot.ts';
import { defined } from '../../defined.ts';

// How shares of a tree's budget move between its runs. Each step is one write to the ledger that gives; the taker
// copies the transfer, as often as it likes. Loaded by runs that are short, or have a budget.

/** How short a run is. */
export interface Shortage {
  /** Of what it would like. */
  wanted: Amounts;
  /** Of what it cannot do without, for which runs at work are asked. */
  needed: Amounts;
  /** Amounts that runs at work keep because they will need them soon; otherwise they would only go back and forth. */
  left: Amounts;
}

/** The answer of a parent that was asked for more. */
interface Asked {
  /** The parent's; undefined if it has none. */
  ledger: Ledger | undefined;
  free: Amounts;
  refill: Refill;
  still: Shortage;
}

/**
 * A parent's ledger in which a run's share is settled, and the run's own ledger, read after that: what the former
 * counts as spent follows from the latter. A late invocation may have read an older one.
 */
interface Settled {
  ledger: Ledger;
  own: Ledger;
}

/**
 * Finds more for a run that is short: first the amounts that its sub-agents have given back, then the free ones of its
 * parent, which looks for more in the same way.
 */
export function refill(run: Run, ledger: Ledger, shortage: Shortage, ports: RefillPorts): Promise<Refill> {
  return refillBeside(undefined, run, ledger, shortage, { ...ports, below: lookingOnce(ports.store) });
}

/** @param except a sub-agent that is asking itself */
async function refillBeside(
  except: string | undefined,
  run: Run,
  ledger: Ledger,
  shortage: Shortage,
  ports: RefillPorts & { below: ShareStore },
): Promise<Refill> {
  const { store, below } = ports;
  // Ahead of sub-agents, which have what they need at hand.
  const allotted = await allotment(run, ledger, shortage, ports);
  const lacking = allotted === undefined ? shortage : lessened(shortage, allotted.gain);
  const isEnough = isNothing(lacking.wanted);
  const { back, gain } = isEnough ? NO_GAIN : await reclaim(ledger, lacking, below, except);
  const short = lessened(lacking, gain);
  const hasFound = !isNothing(gain) || (allotted !== undefined && !isNothing(allotted.gain));
  const own = { given: {}, back, hasFound, ...allotted?.refill };
  if (run.parent === undefined || isNothing(short.wanted)) return own;
  const parent = await store.run(run.parent.run);
  if (parent === undefined) return own;
  const ask = async (more: Refill, seen?: Settled): Promise<Asked> => {
    const change = (kept: Ledger | undefined): Pick<Asked, 'ledger' | 'free'> & { settled?: Ledger } => {
      if (kept === undefined) return { ledger: kept, free: NOTHING };
      const isSettled = kept.shares[run.id] === undefined && kept !== seen?.ledger;
      if (isSettled) return { ledger: kept, free: NOTHING, settled: kept };
      const open = reopen(refilled(kept, more), run.id, seen?.own ?? ledger);
      // Transfers that were not copied are free to take.
      const still = lessened(short, gained(ledger.received, open.shares[run.id]?.given ?? {}));
      const target = isNothing(still.needed) ? still.wanted : still.needed;
      // Too little is not worth a write that makes others wait.
      const isEnough = limitsBelow(free(open), target).length === 0;
      return { ledger: isEnough ? lend(open, run.id, still.wanted) : kept, free: free(open) };
    };
    const { settled, ...asked } = await store.changeLedger(parent.id, change, seen);
    if (settled !== undefined) {
      return ask(more, { ledger: settled, own: (await store.ledger(run.id)) ?? ledger });
    }
    const given = asked.ledger?.shares[run.id]?.given ?? {};
    const lent = gained(ledger.received, given);
    const hasFound = own.hasFound || more.hasFound || !isNothing(lent);
    return { ...asked, refill: { given, back, hasFound }, still: lessened(short, lent) };
  };
  const first = await ask(NO_REFILL);
  if (first.ledger === undefined || isNothing(first.still.wanted)) return first.refill;
  const more = await refillBeside(run.id, parent, first.ledger, lessened(first.still, first.free), ports);
  const { refill: found } = more.hasFound ? await ask(more) : first;
  return { ...found, ...defined({ refused: more.refused }) };
}

/** Reaches other ledgers of the tree, and limits per day. */
export interface RefillPorts extends Omit<AllotPorts, 'store'> {
  store: AllotPorts['store'] & ShareStore;
}

/**
 * The same store, with each ledger as it was first read, unless it has been changed through this one since. Each level
 * of a tree looks at everything below it: without this, lower levels would be read again for each level above. Amounts
 * that were given back stay so, and the write that takes an amount finds out whether it is still there.
 */
function lookingOnce(store: ShareStore): ShareStore {
  const seen = new Map<string, ReturnType<ShareStore['ledger']>>();
  return {
    run: (id) => store.run(id),
    ledger(run) {
      const looking = seen.get(run) ?? store.ledger(run);
      seen.set(run, looking);
      return looking;
    },
    async changeLedger(run, ...change) {
      const changed = await store.changeLedger(run, ...change);
      seen.delete(run);
      return changed;
    },
  };
}

const NO_GAIN = { back: new Map<string, Statement>(), gain: NOTHING };

/** What limits per day give a tree, at its top; undefined if none hold it, or other limits prevent that. */
async function allotment(run: Run, ledger: Ledger, { wanted, needed }: Shortage, ports: RefillPorts) {
  const { allotment: before } = ledger;
  if (before === undefined || run.parent !== undefined || wanted.nanoUsd === 0) return undefined;
  const { allot, gainOf } = await import('./allot.ts');
  const lacking = { wanted: wanted.nanoUsd, needed: needed.nanoUsd };
  const refill = await allot(run, { ...ledger, allotment: before }, lacking, ports);
  return refill && { refill, gain: { ...NOTHING, nanoUsd: gainOf(ledger, refill.taken) } };
}

/**
 * Finds the amounts that sub-agents have given back, and makes them give back more if needed.
 * @returns their ledgers' amounts, for the run's own ledger to copy, and the sum that this yields
 */
async function reclaim(
  ledger: Ledger,
  { needed, left }: Shortage,
  store: ShareStore,
  except?: string,
): Promise<{ back: Map<string, Statement>; gain: Amounts }> {
  const own = Object.keys(ledger.shares).indexOf(except ?? '');
  const others = Object.entries(ledger.shares)
    .map(([run, share], index) => ({ run, share, isLater: index > own }))
    .filter(({ run, share }) => run !== except && !holdsNothing(share));
  const back = new Map<string, Statement>();
  const giving = new Set<string>();
  let gain = NOTHING;
  const read = async (run: string, share: Share) => {
    const kept = await store.ledger(run);
    const said = statementOf(kept);
    back.set(run, said);
    gain = add(gain, gained(share.back ?? {}, said.returned));
    if (await mayGive(kept ?? ledgerOfShare(share), needed, store)) giving.add(run);
  };
  await Promise.all(others.map(({ run, share }) => read(run, share)));
  const take = async ({ run, share }: (typeof others)[number], leave: Amounts) => {
    const short = missing(needed, gain);
    const said = await giveBackOf(run, share, { wanted: short, left: leave }, store, false);
    back.set(run, statementOf(said.ledger));
    gain = add(gain, said.given);
  };
  const isShort = () => !isNothing(missing(needed, gain));
  // Each run asks those after it first, so that not all ask the same one.
  const givers = others.filter(({ run }) => giving.has(run));
  const inTurn = [...givers.filter(({ isLater }) => isLater), ...givers.filter(({ isLater }) => !isLater)];
  for (const other of inTurn) if (isShort()) await take(other, left);
  // If all hold too little, the first ones win; the rest of a failed run's share has no owner.
  for (const other of isNothing(left) ? [] : inTurn) {
    if (isShort() && (other.isLater || (await isOver(other.run, store)))) await take(other, NOTHING);
  }
  // The asking run's own transfer was requested by a run that is about to copy it: it comes last.
  const asking = except === undefined ? undefined : ledger.shares[except];
  if (isShort() && except !== undefined && asking !== undefined) await read(except, asking);
  return { back, gain };
}

/**
 * Makes one sub-agent, and everything below it, give back the wanted amount. A sub-agent at work needs the transfers
 * that it has not copied yet, and keeps them.
 * @returns its ledger, and the amount that it has given back now
 */
async function giveBackOf(
  run: string,
  share: Share,
  { wanted, left }: Pick<Shortage, 'wanted' | 'left'>,
  store: ShareStore,
  hasEnded: boolean,
): Promise<{ ledger: Ledger; given: Amounts }> {
  const first = ledgerOfShare(share);
  const change = (more: Amounts, below: ReadonlyMap<string, Statement>) => {
    let attempts = 0;
    return store.changeLedger(run, (kept) => {
      // If another run is changing this ledger right now, look for more elsewhere.
      if (!hasEnded && ++attempts > 1) return { ledger: kept, after: kept ?? first, given: NOTHING };
      const copied = hasEnded && kept !== undefined ? receive(kept, share.given) : (kept ?? first);
      const before = takeBack(copied, below);
      const after = giveBack(before, lesser(more, missing(free(before), left)));
      const given = missing(after.returned, before.returned);
      // A run that has not begun has nothing to write unless it gives.
      return { ledger: after === first ? undefined : after, after, given };
    });
  };
  const own = await change(wanted, new Map());
  const short = missing(wanted, own.given);
  if (isNothing(short)) return { ledger: own.after, given: own.given };
  const { back } = await reclaim(own.after, { wanted: short, needed: short, left }, store);
  if (back.size === 0) return { ledger: own.after, given: own.given };
  const more = await change(short, back);
  return { ledger: more.after, given: add(own.given, more.given) };
}

async function isOver(run: string, store: ShareStore): Promise<boolean> {
  const record = await store.run(run);
  return record !== undefined && record.status !== 'running';
}

function lessened({ wanted, needed, left }: Shortage, by: Amounts): Shortage {
  return { wanted: missing(wanted, by), needed: missing(needed, by), left };
}

/**
 * Everything that ended or idle sub-agents give back. One that is still at work keeps what it has reserved, and its
 * share if it works beside its caller, since it would have to ask for it again.
 * @param mayBeAtWork whether any may work beside the caller: finding out takes one more round trip
 */
export async function gather(
  ledger: Ledger | undefined,
  mayBeAtWork: boolean,
  store: ShareStore,
): Promise<Refill> {
  const holding = Object.entries(ledger?.shares ?? {}).filter(([, share]) => !holdsNothing(share));
  const seen = lookingOnce(store);
  const back = await Promise.all(
    holding.map(async ([run, share]): Promise<[string, Statement][]> => {
      const reading = store.run(run);
      if (mayBeAtWork && isAtWorkBeside(await reading)) return [];
      const [record, { ledger: said }] = await Promise.all([
        reading,
        giveBackOf(run, share, { wanted: EVERYTHING, left: NOTHING }, seen, true),
      ]);
      // A run with an answer begins nothing more: what it holds is final as soon as its last turn is charged.
      const isOver = record !== undefined && isIn(AT_REST, record) && said.settled >= record.usage.turns;
      return [[run, statementOf(said, isOver)]];
    }),
  );
  return { ...NO_REFILL, back: new Map(back.flat()) };
}

function isAtWorkBeside(run: Run | undefined): boolean {
  return run !== undefined && isBeside(run) && run.status === 'running';
}

function gained(before: Allowance, given: Allowance): Amounts {
  return amounts((limit) => Math.max(0, (given[limit] ?? 0) - (before[limit] ?? 0)));
}

/**
 * Whether a run or any below it can give back something of what is needed. All ledgers are read at once, level by
 * level: in a tree that has spent its budget, asking one after another would take long and find nothing.
 */
async function mayGive(ledger: Ledger, needed: Amounts, store: ShareStore): Promise<boolean> {
  const isNeeded = (some: Amounts) => !isNothing(lesser(needed, some));
  if (isNeeded(free(ledger))) return true;
  const below = await Promise.all(
    Object.entries(ledger.shares)
      .filter(([, share]) => !holdsNothing(share))
      .map(async ([run, share]) => {
        const own = (await store.ledger(run)) ?? ledgerOfShare(share);
        return isNeeded(gained(share.back ?? {}, own.returned)) || mayGive(own, needed, store);
      }),
  );
  return below.includes(true);
}

function holdsNothing(share: Share): boolean {
  return LIMITS.every((limit) => heldOf(share, limit) === 0);
}
