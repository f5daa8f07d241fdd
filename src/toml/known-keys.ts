import type * as v from 'valibot';
import { nearest } from '../nearest.ts';
import { isTable, type TomlTable } from './parse-toml.ts';

/** Every key that a schema's tables have, tables as objects. */
export function keysOf({ entries }: { entries: v.ObjectEntries }): TomlTable {
  return Object.fromEntries(
    Object.entries(entries).map(([key, schema]) => {
      const table = 'wrapped' in schema ? schema.wrapped : schema;
      return [key, hasEntries(table) ? keysOf(table) : ''];
    }),
  );
}

function hasEntries(schema: unknown): schema is { entries: v.ObjectEntries } {
  return isTable(schema) && isTable(schema['entries']);
}

/**
 * What to write in place of an unknown key: the known key that is spelled most like it, wherever that belongs, else
 * those that are known beside it.
 */
export function nearestKey(path: readonly string[], known: TomlTable): string {
  const table = path.slice(0, -1).join('.');
  const keys = dottedKeys(known).map((dotted) => {
    const dot = dotted.lastIndexOf('.');
    return { dotted, name: dotted.slice(dot + 1), isBeside: dotted.slice(0, Math.max(dot, 0)) === table };
  });
  const beside = keys.filter(({ isBeside }) => isBeside);
  // Keys of other tables come last: they are meant only if none beside it is as close.
  const candidates = [...beside, ...keys.filter(({ isBeside }) => !isBeside)];
  const names = candidates.map(({ name }) => name);
  const close = nearest(path.at(-1) ?? '', names);
  if (close === undefined) return `known here: ${beside.map(({ name }) => name).join(', ')}`;
  return `did you mean ${JSON.stringify(candidates[names.indexOf(close)]?.dotted)}?`;
}

/** The keys of a table and of the tables in it, as in `memory.last_n`. */
export function dottedKeys(known: TomlTable, prefix = ''): string[] {
  return Object.entries(known).flatMap(([key, value]) => [
    prefix + key,
    ...(isTable(value) ? dottedKeys(value, `${prefix}${key}.`) : []),
  ]);
}
