import type { Cooldowns } from '../runs/ports.ts';
import { cooldown, MAX_WAITS, retryDelay } from './retry.ts';
import type { Opened } from '../runs/run.ts';
import type { TurnInput } from './turn-input.ts';

/** The same turn again, later. */
export interface Wait {
  next: 'wait';
  run: string;
  /** The turn before, which is the last that was made. */
  turn: number;
  /** ISO 8601, UTC. */
  until: string;
  outcomes: TurnInput['outcomes'];
  attempt: number;
  waits: number;
}

export interface WaitPorts {
  store: Cooldowns;
  now: () => number;
  /** From 0 up to 1. */
  random: () => number;
}

/** Runs that wait for the same API spread out over as long again as it asked for, and at least this. */
const SHORTEST_COOLING_MS = 100;

/** The API was throttled for somebody else: it is left alone for a while, and no attempt is used up. */
export async function coolingWait(
  input: TurnInput,
  opened: Opened,
  ports: WaitPorts,
): Promise<Wait | undefined> {
  if (opened.retry === undefined) return undefined;
  const until = await ports.store.cooldownOf(opened.model);
  const now = ports.now();
  if (until <= now) return undefined;
  return waitUntil(
    now + Math.max(SHORTEST_COOLING_MS, (until - now) * (1 + ports.random())),
    input.attempt,
    input,
  );
}

/** The API itself failed, and may answer later; undefined where it is not asked again. */
export async function waitAfter(
  thrown: unknown,
  input: TurnInput,
  opened: Opened,
  ports: WaitPorts,
): Promise<Wait | undefined> {
  if (opened.retry === undefined) return undefined;
  const delay = retryDelay(thrown, opened.retry, input.attempt + 1, ports.random());
  if (delay === undefined) return undefined;
  const now = ports.now();
  const cooling = cooldown(thrown, delay);
  if (cooling > 0) await ports.store.coolDown(opened.model, now + cooling);
  return waitUntil(now + delay, input.attempt + 1, input);
}

/**
 * Never past the deadline, and not for ever. A Wait state cuts milliseconds off its time, so that only a whole second
 * keeps the turn from coming back too early.
 */
function waitUntil(earliest: number, attempt: number, input: TurnInput): Wait | undefined {
  const until = 1000 * Math.ceil(earliest / 1000);
  if (until >= input.deadline || input.waits >= MAX_WAITS) return undefined;
  return {
    next: 'wait',
    run: input.run,
    turn: input.turn - 1,
    until: new Date(until).toISOString(),
    outcomes: input.outcomes,
    attempt,
    waits: input.waits + 1,
  };
}
