import type { Instant } from '../records/times.ts';
import type { Cooldowns } from '../records/ports.ts';
import { cooldown, MAX_WAITS, retryDelay } from './retry.ts';
import type { Opened } from '../records/opened.ts';
import type { TimedTurnInput } from './turn-input.ts';

/** The same turn again, later. */
export interface TurnWait {
  next: 'wait';
  run: string;
  /** The previous turn, which is the last that was made. */
  turn: number;
  /** ISO 8601, UTC. */
  until: string;
  outcomes: TimedTurnInput['outcomes'];
  attempt: number;
  shortages: number;
  waits: number;
}

export interface WaitPorts {
  store: Cooldowns;
  now: () => Instant;
  /** From 0 up to 1. */
  random: () => number;
}

/** The input from which a turn that waits is made again. */
type LaterTurn = Omit<TimedTurnInput, 'deadline'>;

/** The shortest wait for an API. Runs wait for up to twice the time that it asked for, so that they spread out. */
const SHORTEST_COOLING_MS = 100;

/** How often one turn waits, up to twice as long each time: half a minute to a minute in all. */
const MAX_SHORTAGES = 6;

/** The API throttled another run: it is left alone for a while, and no attempt is used up. */
export async function coolingWait(
  input: LaterTurn,
  opened: Opened,
  ports: WaitPorts,
): Promise<TurnWait | undefined> {
  if (opened.retry === undefined) return undefined;
  const until = await ports.store.cooldownOf(opened.model);
  const now = ports.now();
  if (until <= now) return undefined;
  return waitUntil(now + Math.max(SHORTEST_COOLING_MS, (until - now) * (1 + ports.random())), input);
}

/** The API failed and may answer later; undefined if it is not asked again. */
export async function waitAfter(
  thrown: unknown,
  input: LaterTurn,
  opened: Opened,
  ports: WaitPorts,
): Promise<TurnWait | undefined> {
  if (opened.retry === undefined) return undefined;
  const delay = retryDelay(thrown, opened.retry, input.attempt + 1, ports.random());
  if (delay === undefined) return undefined;
  const now = ports.now();
  const cooling = cooldown(thrown, delay);
  if (cooling > 0) await ports.store.coolDown(opened.model, now + cooling);
  return waitUntil(now + delay, { ...input, attempt: input.attempt + 1 });
}

/**
 * Runs at work hold the rest of the budget, and give most of it back when their calls end; undefined if the turn has
 * waited long enough, since an invocation that died with a reservation gives nothing back.
 */
export function shortageWait(
  input: LaterTurn,
  ports: Pick<WaitPorts, 'now' | 'random'>,
): TurnWait | undefined {
  if (input.shortages >= MAX_SHORTAGES) return undefined;
  const delay = 1000 * 2 ** input.shortages * (0.5 + ports.random() / 2);
  return waitUntil(ports.now() + delay, { ...input, shortages: input.shortages + 1 });
}

/**
 * Never past the deadline, and not for ever. A Wait state drops the milliseconds of its time, so only a whole second
 * keeps the turn from coming back too early.
 */
function waitUntil(earliest: Instant, input: LaterTurn): TurnWait | undefined {
  const until = 1000 * Math.ceil(earliest / 1000);
  if (until >= input.until || input.waits >= MAX_WAITS) return undefined;
  return {
    next: 'wait',
    run: input.run,
    turn: input.turn - 1,
    until: new Date(until).toISOString(),
    outcomes: input.outcomes,
    attempt: input.attempt,
    shortages: input.shortages,
    waits: input.waits + 1,
  };
}
