import { seconds, type Seconds } from '../../core/records/times.ts';
import { ConfigError } from '../../errors.ts';
import { InvalidArgumentError } from 'commander';
import * as v from 'valibot';
import { ageIn, momentIn } from '../../core/records/age.ts';
import { LEAST_USD } from '../../core/records/nano-usd.ts';
import { parseTag, TagsSchema, type Tags } from '../../core/records/tags.ts';
import { LONGEST_TIMEOUT } from '../../core/records/deadline.ts';

/** Values of options, as they are typed. @throws {InvalidArgumentError} for what cannot be meant */

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError('It must be a whole number above 0');
  return value;
}

export function secondsToRun(text: string): Seconds {
  const value = wholeNumber(text);
  if (value > LONGEST_TIMEOUT) {
    throw new InvalidArgumentError(`It can be at most ${LONGEST_TIMEOUT} (ten days)`);
  }
  return seconds(value);
}

/** `30d` and the like, in milliseconds. */
export function milliseconds(text: string): number {
  const age = ageIn(text);
  if (age === undefined)
    throw new InvalidArgumentError('It must be a number with a unit (s, m, h, d or w), such as 30d');
  return age;
}

export function port(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 65_535)
    throw new InvalidArgumentError('It must be a whole number from 0 (any free port) to 65535');
  return value;
}

export function dollars(text: string): number {
  const value = Number(text);
  if (!(value >= LEAST_USD && value < 1e6))
    throw new InvalidArgumentError(`It must be an amount of at least ${LEAST_USD.toFixed(6)}, such as 0.50`);
  return value;
}

/** A share of all: from 0 to 1. */
export function share(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError('It must be a share from 0 to 1, such as 0.1');
  return value;
}

/** A moment: `7d` ago, or ISO 8601. */
export function moment(text: string): number {
  const at = momentIn(text, Date.now());
  if (at === undefined)
    throw new InvalidArgumentError('It must be an age such as 7d, or a time such as 2026-11-23');
  return at;
}

/** One more tag. @param before those of the same option that came before it */
export function tag(text: string, before: Tags = {}): Tags {
  const [key, value] = parseTag(text) ?? [];
  if (key === undefined || value === undefined)
    throw new InvalidArgumentError('It must be key=value, such as customer=acme');
  const tags = v.safeParse(TagsSchema, { ...before, [key]: value });
  if (!tags.success) {
    const [{ path: [part] = [], message }] = tags.issues;
    throw new InvalidArgumentError(`${part === undefined ? 'Tags' : `Its ${part.origin}`} ${message}`);
  }
  return tags.output;
}

/** The value of `--lambda-endpoint`. @throws {ConfigError} if it is no address */
export function lambdaEndpointUrl(written: string): string {
  if (/^https?:\/\//.test(written) && URL.canParse(written)) return written;
  throw new ConfigError(
    `--lambda-endpoint "${written}" is not a URL; write, for instance, http://127.0.0.1:9104`,
  );
}
