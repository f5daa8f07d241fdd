import type { Instant } from '../records/times.ts';
import { untilNextLook } from '../records/pause.ts';
import type { Rests } from '../records/ports.ts';
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

/** The same turn again, once a batch has brought its answer. */
export interface TurnBatch extends Pick<
  TurnWait,
  'attempt' | 'outcomes' | 'run' | 'shortages' | 'turn' | 'until'
> {
  next: 'batch';
}

/** Why a turn waits before it has asked its model. */
export interface Resting {
  wait: TurnWait;
  /** For watchers. */
  reason: string;
}

export interface WaitPorts {
  store: Pick<Rests, 'coolDown' | 'restOf'>;
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

/**
 * Waits of one run in all: each costs about nine events of the 25,000 of a history, of which the calls that a run may
 * make leave some 4,000.
 */
const MAX_WAITS = 300;

/**
 * The model is not asked for a while, and no attempt is used up: everything is paused, or the API throttled another
 * run.
 */
export async function restingWait(
  input: LaterTurn,
  opened: Opened,
  ports: WaitPorts,
): Promise<Resting | undefined> {
  const { until, pause } = await ports.store.restOf(input.run, opened.model);
  const now = ports.now();
  if (pause !== undefined && now < input.until) {
    // Its time runs on: at its deadline at the latest, the turn says that it is over.
    const next = Math.min(now + untilNextLook(pause, now, ports.random()), input.until);
    return { wait: laterTurn(wholeSecond(next), input.waits, input), reason: `paused by ${pause.by}` };
  }
  if (opened.retry === undefined || until <= now) return undefined;
  const wait = waitUntil(now + Math.max(SHORTEST_COOLING_MS, (until - now) * (1 + ports.random())), input);
  return wait && { wait, reason: 'cooldown' };
}

/** The API failed and may answer later; undefined if it is not asked again. */
export async function waitAfter(
  thrown: unknown,
  input: LaterTurn,
  opened: Opened,
  ports: WaitPorts,
): Promise<TurnWait | undefined> {
  if (opened.retry === undefined) return undefined;
  const { cooldown, retryDelay } = await import('./retry.ts');
  const delay = retryDelay(thrown, opened.retry, input.attempt + 1, ports.random());
  if (delay === undefined) return undefined;
  const now = ports.now();
  const cooling = cooldown(thrown, delay);
  if (cooling > 0) await ports.store.coolDown(input.run, opened.model, now + cooling);
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

/** Never past the deadline, and not for ever. */
export function waitUntil(earliest: Instant, input: LaterTurn): TurnWait | undefined {
  const until = wholeSecond(earliest);
  if (until >= input.until || input.waits >= MAX_WAITS) return undefined;
  return laterTurn(until, input.waits + 1, input);
}

/** A Wait state drops the milliseconds of its time: only a whole second keeps the turn from coming back too early. */
function wholeSecond(earliest: Instant): Instant {
  return 1000 * Math.ceil(earliest / 1000);
}

function laterTurn(until: Instant, waits: number, input: LaterTurn): TurnWait {
  return {
    next: 'wait',
    run: input.run,
    turn: input.turn - 1,
    until: new Date(until).toISOString(),
    outcomes: input.outcomes,
    attempt: input.attempt,
    shortages: input.shortages,
    waits,
  };
}
