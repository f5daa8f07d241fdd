import type { Instant } from '../../core/records/times.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { nextOccurrence } from '../../core/agent-schema/schedule/next-occurrence.ts';
import type { Schedule } from '../../core/agent-schema/schedule/schedule.ts';

export interface ScheduledAgent {
  /** The file's name without `.toml`. */
  agent: string;
  schedule: Schedule;
}

export interface ScheduleClock {
  now(): Instant;
  /** Resolves at that time, or as soon as the signal is aborted. */
  sleepUntil(time: number, signal: AbortSignal): Promise<void>;
}

/** The time of the system. */
export const systemClock: ScheduleClock = {
  now: () => Date.now(),
  async sleepUntil(time, signal) {
    await delay(Math.max(0, time - Date.now()), undefined, { signal }).catch(() => {}); // it ends with the signal, too
  },
};

/** A change of a file takes effect after a minute at the latest. */
const LOOK_AGAIN_MS = 60_000;

/**
 * Starts agents when they come due, until the signal is aborted. If several ticks of an agent pass unobserved, such as
 * while a machine sleeps, it gets the latest.
 * @param list read again each time
 * @param start called with an agent and the time of its tick; it handles its own failures
 */
export async function followSchedules(
  list: () => Promise<ScheduledAgent[]>,
  start: (scheduled: ScheduledAgent, tick: number) => Promise<void>,
  clock: ScheduleClock,
  signal: AbortSignal,
): Promise<void> {
  for (let since = clock.now(); !signal.aborted;) {
    const scheduled = (await list()).filter(({ schedule }) => schedule.enabled);
    const now = clock.now();
    for (const each of scheduled) {
      const tick = latestOccurrence(each.schedule, since, now);
      if (tick !== undefined) await start(each, tick);
    }
    since = now;
    const next = scheduled.map(({ schedule }) => nextOccurrence(schedule, now) ?? Infinity);
    await clock.sleepUntil(Math.min(now + LOOK_AGAIN_MS, ...next), signal);
  }
}

/** After `since` and not after `until`. */
function latestOccurrence(schedule: Schedule, since: number, until: number): number | undefined {
  let latest: number | undefined;
  for (let tick = nextOccurrence(schedule, since); tick !== undefined && tick <= until;) {
    latest = tick;
    tick = nextOccurrence(schedule, tick);
  }
  return latest;
}
