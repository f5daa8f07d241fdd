import type { Json } from '../../json.ts';

/** Milliseconds since 1970, this century. */
const EARLIEST_MS = 1e12;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
/** A task token of the interpreter. */
const TOKEN = /^[\w-]{75}$/;

/** The metadata of requests to a service. */
const TRANSPORT = /^Sdk(Http|Response)Metadata$/;

/**
 * Whether a value is the recorded one, except for parts that differ from moment to moment: times, task tokens and
 * requests.
 */
export function fitsRecorded(recorded: Json, now: Json): boolean {
  if (typeof recorded !== typeof now) return false;
  if (typeof recorded === 'number' && typeof now === 'number') {
    return recorded === now || (recorded > EARLIEST_MS && now > EARLIEST_MS);
  }
  if (typeof recorded === 'string' && typeof now === 'string') {
    return recorded === now || (TIME.test(recorded) && TIME.test(now)) || isToken(recorded, now);
  }
  if (recorded === null || now === null || typeof recorded !== 'object' || typeof now !== 'object') {
    return recorded === now;
  }
  const of = (value: { [key: string]: Json } | Json[]) =>
    Object.entries<Json>(value).filter(([key]) => !TRANSPORT.test(key));
  const [before, current] = [of(recorded), new Map(of(now))];
  return (
    Array.isArray(recorded) === Array.isArray(now) &&
    before.length === current.size &&
    before.every(([key, value]) => {
      const other = current.get(key);
      return other !== undefined && fitsRecorded(value, other);
    })
  );
}

/** The task token in what a function is given now. */
export function tokenIn(given: Json): string | undefined {
  if (typeof given === 'string') return TOKEN.test(given) ? given : undefined;
  if (typeof given !== 'object' || given === null) return undefined;
  return Object.values(given)
    .map(tokenIn)
    .find((token) => token !== undefined);
}

/** Tokens of the service are long, and of another form. */
function isToken(recorded: string, now: string): boolean {
  return TOKEN.test(now) && /^[\w+/=-]{75,}$/.test(recorded);
}
