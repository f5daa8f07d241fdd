import type * as v from 'valibot';
import { nearest } from './nearest.ts';
import { isTable, type TomlPath, type TomlTable } from './parse-toml.ts';

/** Stands for a table whose keys are the user's own. */
export const ANY_KEYS: TomlTable = {};

/** Every key that a schema's tables have: tables as objects, and arrays of tables as arrays of the one that all are. */
export function keysOf({ entries }: { entries: v.ObjectEntries }): TomlTable {
  return Object.fromEntries(
    Object.entries(entries).map(([key, schema]) => {
      const value = 'wrapped' in schema ? schema.wrapped : schema;
      const item = isTable(value) ? value['item'] : undefined;
      if (isTable(value) && value['type'] === 'record') return [key, ANY_KEYS];
      return [key, hasEntries(value) ? keysOf(value) : hasEntries(item) ? [keysOf(item)] : ''];
    }),
  );
}

function hasEntries(schema: unknown): schema is { entries: v.ObjectEntries } {
  return isTable(schema) && isTable(schema['entries']);
}

/**
 * The word to write in place of an unknown key: the known key that is spelled most like it, in any table, else those
 * that are known beside it.
 */
export function nearestKey(path: TomlPath, known: TomlTable): string {
  const names = path.filter((step) => typeof step === 'string');
  const table = names.slice(0, -1).join('.');
  const keys = dottedKeys(known).map((dotted) => {
    const dot = dotted.lastIndexOf('.');
    return { dotted, name: dotted.slice(dot + 1), isBeside: dotted.slice(0, Math.max(dot, 0)) === table };
  });
  const beside = keys.filter(({ isBeside }) => isBeside);
  // Keys of other tables come last: they are meant only if none beside it is as close.
  const candidates = [...beside, ...keys.filter(({ isBeside }) => !isBeside)];
  const close = nearest(
    names.at(-1) ?? '',
    candidates.map(({ name }) => name),
  );
  if (close === undefined) return `known here: ${beside.map(({ name }) => name).join(', ')}`;
  return `did you mean ${JSON.stringify(candidates.find(({ name }) => name === close)?.dotted)}?`;
}

/** The keys of a table and of the tables in it, as in `memory.last_n`; of an array of tables, those of its first. */
export function dottedKeys(known: TomlTable, prefix = ''): string[] {
  return Object.entries(known).flatMap(([key, value]) => {
    const table: unknown = Array.isArray(value) ? value[0] : value;
    return [prefix + key, ...(isTable(table) ? dottedKeys(table, `${prefix}${key}.`) : [])];
  });
}
