import { isDeepStrictEqual } from 'node:util';

/** Where in a tree something is: a run, and as much of the rest as applies. */
export interface ReplayPoint {
  run: string;
  /** As in `Run`. */
  path: string;
  agent: string;
  /** From 1; absent: before its first turn. */
  turn?: number;
  /** From 1. */
  call?: number;
}

/** The first difference from the recording. */
export interface Difference {
  at: ReplayPoint;
  /** The part that differs, in words: `the system prompt`. */
  what: string;
  /** Texts of any number of lines; "" where there was nothing. */
  recorded: string;
  now: string;
}

/** The parts that are compared, in order. */
export type Aspects = Record<string, unknown>;

/** The first aspect that differs. */
export function firstDifference(at: ReplayPoint, recorded: Aspects, now: Aspects): Difference | undefined {
  const what = Object.keys(now).find((aspect) => !isSame(recorded[aspect], now[aspect]));
  return what === undefined
    ? undefined
    : { at, what, recorded: toText(recorded[what]), now: toText(now[what]) };
}

/** Whether two values are the same as JSON. */
export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one, other) || toText(one) === toText(other);
}

/** A text as it is; anything else as indented JSON, its keys in order. */
export function toText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, inOrder, 2);
}

function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
