import { ConfigError } from '../../../errors.ts';
import type { ServiceWord } from '../../../token-usage.ts';

/** When an agent runs on its own, and what it is then asked. */
export interface Schedule extends Timing {
  /** "" for the agent's own instructions alone. */
  prompt: string;
  enabled: boolean;
  /** Limits of each such run, in place of the agent's own; absent where it sets none. */
  budget?: { tokens?: number; nanoUsd?: number };
  /** How models serve such runs; absent: as the agent's own say. */
  service?: ServiceWord;
}

/** An expression in EventBridge Scheduler's own spelling, and its time zone. */
export interface Timing {
  kind: TimingKind;
  /** The text between the brackets of `cron(…)`, `rate(…)` or `at(…)`. */
  expression: string;
  /** Of the IANA database. */
  timezone: string;
}

export type TimingKind = 'cron' | 'rate' | 'at';

/** `ScheduleExpression` of EventBridge Scheduler; its `ScheduleExpressionTimezone` is the `timezone`. */
export function toSchedulerExpression({ kind, expression }: Timing): string {
  return `${kind}(${expression})`;
}

/** A schedule that cannot be followed, with the reason alone: callers add where it is written. */
export class ScheduleError extends ConfigError {}
