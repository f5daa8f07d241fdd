import { ConfigError } from '../../../errors.ts';

/** A schedule that cannot be followed, with the reason alone: callers add where it is written. */
export class ScheduleError extends ConfigError {}
