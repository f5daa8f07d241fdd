import { posix } from 'node:path';
import * as v from 'valibot';
import { DURATION, secondsIn } from './duration.ts';
import { LEAST_USD } from '../records/nano-usd.ts';
import { LONGEST_TIMEOUT } from '../records/deadline.ts';

// The types of an agent file's keys. Each type carries the description and the default that editors show; its messages
// are those that checkToml puts the key into.

/** The message for a required key that is missing or blank. */
export const MISSING = 'agent config missing required field: {key}';

export function required(description: string) {
  return v.pipe(v.string('a string'), v.regex(/\S/, MISSING), v.description(description));
}

export function text(description: string) {
  return v.optional(v.pipe(v.string('a string'), v.description(description)), '');
}

export function texts(description: string) {
  return v.optional(
    v.pipe(v.array(v.string('a string'), 'an array of strings'), v.description(description)),
    [],
  );
}

/** A table of strings under names of the user's own. */
export function textsByName(description: string) {
  return v.optional(
    v.pipe(v.record(v.string(), v.string('a string'), 'a table'), v.description(description)),
    {},
  );
}

/** An array of strings each of which `check` finds no fault with, or else names the fault. */
export function checkedTexts(check: (text: string) => string | undefined, description: string) {
  const item = v.pipe(
    v.string('a string'),
    v.rawCheck(({ dataset, addIssue }) => {
      const message = dataset.typed ? check(dataset.value) : undefined;
      if (message !== undefined) addIssue({ message });
    }),
  );
  return v.optional(v.pipe(v.array(item, 'an array of strings'), v.description(description)), []);
}

export function flag(description: string, fallback: boolean) {
  return v.optional(v.pipe(v.boolean('true or false'), v.description(description)), fallback);
}

export function count(description: string, fallback = 0) {
  return v.optional(v.pipe(integer(), v.description(description)), fallback);
}

/** @param message for a smaller number */
export function countFrom(
  least: number,
  description: string,
  fallback: number,
  message = `{key} must be at least ${least}`,
) {
  return v.optional(
    v.pipe(
      v.number('an integer'),
      v.integer('an integer'),
      v.minValue<number, number, string>(least, message),
      v.description(description),
    ),
    fallback,
  );
}

/** @param explanation of the limit, behind its number */
export function countUpTo(most: number, description: string, explanation = '') {
  const limit = v.maxValue<number, number, string>(most, `{key} cannot exceed ${most}${explanation}`);
  return v.optional(v.pipe(integer(), limit, v.description(description)), 0);
}

export function seconds(description: string) {
  return countUpTo(LONGEST_TIMEOUT, description, ', which is ten days');
}

/** Seconds, or a text. @param most in days */
export function duration(most: number, description: string) {
  return v.exactOptional(
    v.pipe(
      v.union(
        [
          v.pipe(
            v.string(),
            v.regex(
              DURATION,
              ({ input }) =>
                `{key} must be a duration such as "30s", "5m", "1h" or "7d", got ${JSON.stringify(input)}`,
            ),
          ),
          integer(),
        ],
        'a number of seconds, or a duration such as "30m"',
      ),
      v.check((given) => secondsIn(given) <= most * 86_400, `{key} cannot exceed ${most} days`),
      v.description(description),
    ),
  );
}

/** A number that need not be whole: 0.5. */
export function amount(description: string) {
  return v.pipe(
    v.number('a number'),
    v.finite('a number'),
    v.minValue(0, '{key} must be non-negative'),
    v.description(description),
  );
}

/** A limit of dollars; 0: none. */
export function dollars(description: string) {
  return v.optional(
    v.pipe(
      amount(description),
      // Values below 0 have been refused already.
      v.check((usd) => usd <= 0 || usd >= LEAST_USD, `{key} must be 0 or at least ${LEAST_USD.toFixed(6)}`),
    ),
    0,
  );
}

export function choice<const Options extends readonly string[]>(options: Options, description: string) {
  const quoted = options.map((option) => JSON.stringify(option));
  const noun = `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
  return v.pipe(v.picklist(options, noun), v.description(description));
}

export function table<const Entries extends v.ObjectEntries>(description: string, entries: Entries) {
  return v.pipe(v.object(entries, 'a table'), v.description(description));
}

/**
 * Refuses an array of tables in which two have the same name.
 * @param fault the words about the second, after its name
 */
export function uniqueNames<Named extends { name: string }>(fault: string) {
  return v.rawCheck<Named[]>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    const names = value.map(({ name }) => name);
    value.forEach((item, index) => {
      if (names.indexOf(item.name) === index) return;
      const message = `{key} ${JSON.stringify(item.name)} ${fault}`;
      addIssue({ message, path: [pathItem(value, index), pathItem(item, 'name')] });
    });
  });
}

/** The path of a module of the project; "" for none. */
export function moduleFile(description: string) {
  return v.optional(
    v.pipe(
      v.string('a string'),
      v.check((path) => !leadsOut(path), '{key} must be a path below the folder that contains agents/'),
      v.description(description),
    ),
    '',
  );
}

/** Whether a relative path leads out of the folder that it begins in, or is not relative. */
export function leadsOut(path: string): boolean {
  const normal = posix.normalize(path);
  return posix.isAbsolute(normal) || normal === '..' || normal.startsWith('../');
}

/** One step of the path to a value that is wrong. */
export function pathItem(input: object, key: string | number): v.UnknownPathItem {
  const value = new Map<string, unknown>(Object.entries(input)).get(String(key));
  return { type: 'unknown', origin: 'value', input, key, value };
}

function integer() {
  return v.pipe(v.number('an integer'), v.integer('an integer'), v.minValue(0, '{key} must be non-negative'));
}
