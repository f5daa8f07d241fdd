import { ConfigError } from '../../../errors.ts';

/** A schedule that nobody can keep, with the reason alone: callers say where it is written. */
export class ScheduleError extends ConfigError {}
