import { RefusedCall } from '../core/tool-contracts/arguments.ts';
import type { ToolArguments } from '../core/tool-contracts/tool.ts';

// Models write numbers and booleans as text, and one argument under another's name. Clear cases are read as intended;
// ambiguous ones are refused in words that name the argument.

/** The longest path that is looked at, in characters. */
const MAX_PATH = 4_096;

/** Where a model writes a path; `file_path` is what other tools call it. */
export function pathArgument(args: ToolArguments): string {
  return textArgument({ path: args['path'] ?? args['file_path'] }, 'path', MAX_PATH);
}

/** A folder, by default the workdir. */
export function folderArgument(args: ToolArguments): string {
  const path = args['path'] ?? args['file_path'] ?? '';
  return path === '' ? '.' : textArgument({ path }, 'path', MAX_PATH);
}

/** @param most in characters */
export function textArgument(args: ToolArguments, name: string, most: number): string {
  const value = args[name];
  if (value === undefined || value === null) throw new RefusedCall(`argument "${name}" is required`);
  if (typeof value !== 'string') throw wrong(name, 'text', value);
  if (value.length > most) {
    throw new RefusedCall(`argument "${name}" has ${value.length} characters, at most ${most} are allowed`);
  }
  return value;
}

export function optionalTextArgument(args: ToolArguments, name: string, most: number): string | undefined {
  const value = args[name];
  return value === undefined || value === null || value === '' ? undefined : textArgument(args, name, most);
}

/** @returns `fallback` where the model left it out */
export function integerArgument(
  args: ToolArguments,
  name: string,
  { least, fallback }: { least?: number; fallback: number },
): number {
  const value = args[name];
  if (value === undefined || value === null || value === '') return fallback;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < (least ?? -Infinity)) {
    throw wrong(name, least === undefined ? 'a whole number' : `a whole number of at least ${least}`, value);
  }
  return number;
}

export function booleanArgument(args: ToolArguments, name: string): boolean {
  const value = args[name];
  if (value === undefined || value === null || value === '') return false;
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (text === 'true') return true;
  if (text === 'false') return false;
  throw wrong(name, 'true or false', value);
}

function wrong(name: string, wanted: string, value: unknown): RefusedCall {
  return new RefusedCall(`argument "${name}" must be ${wanted}, not ${describe(value)}`);
}

/** The kind of a value; short values as they stand. */
function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string' && value.length > 50) return 'a text';
  return JSON.stringify(value);
}
