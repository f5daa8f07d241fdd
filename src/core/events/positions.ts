import { Buffer } from 'node:buffer';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as v from 'valibot';
import { callName } from '../records/call.ts';
import type { Question } from '../records/question.ts';
import { carriedSince, isBeside, type Run } from '../records/run.ts';

/** How far the events of one run have been told. */
export interface Position {
  /** The turn that is being told; 0 while the opening of the run is. */
  turn: number;
  /**
   * How many events of the opening have been told; of a turn or a question, whether its begin (1) and its end (2) have.
   */
  told: number;
  /** The calls of the turn, from 1, whose begins have been told, and those whose ends have. */
  begun: Set<number>;
  ended: Set<number>;
  /** How many of the parts that the next event consists of have been told. */
  sent: number;
  /** How much of the turn's answer was told while it was being written, in characters. */
  written: number;
  /** When the model was asked for that answer, in milliseconds since 1970; 0 where nothing of one was told. */
  askedAt: number;
  /** The holder that closed the run, once that has been told. */
  closedBy: number | undefined;
  /** Since when it had carried the run by then, in milliseconds since 1970; 0 where that is not known. */
  closedSince: number;
  /** Whether it was idle by then: it may be ended, or idle again, without having gone on. */
  wasIdle: boolean;
  /** Of the top: when the tree was read of which all has been told, in milliseconds since 1970; 0 where not known. */
  seenAt: number;
}

/**
 * By path below the top of the tree, the runs whose calls have not been told to their end, or only just, and the top
 * itself; those that went on after that; beside them, by path and call, the questions of calls that have not.
 */
export type Positions = Map<string, Position>;

/** Where nothing has been told yet. */
export function beginning(): Position {
  return {
    turn: 0,
    told: 0,
    begun: new Set(),
    ended: new Set(),
    sent: 0,
    written: 0,
    askedAt: 0,
    closedBy: undefined,
    closedSince: 0,
    wasIdle: false,
    seenAt: 0,
  };
}

/**
 * Whether a run has been told to its end, by its parent's told events.
 * @param forks the paths of all forks, which go on beside that
 */
export function isPast(run: Run, positions: Positions, forks: ReadonlySet<string>): boolean {
  return !positions.has(run.path) && !forks.has(run.path) && isCallTold(run, positions, forks);
}

/** Whether the call that started a run, or one above it, has been told to its end. */
export function isCallTold({ path }: Run, positions: Positions, forks: ReadonlySet<string>): boolean {
  for (let [above, step] = split(path); step !== undefined; [above, step] = split(above)) {
    const position = positions.get(above);
    if (position === undefined && forks.has(above)) return false;
    if (position === undefined) continue;
    const [turn, call] = callOf(step);
    return position.turn > turn || (position.turn === turn && position.ended.has(call));
  }
  return false;
}

/** Whether a run has been told in part when its caller was told to have ended: the process that ends both was slow. */
export function isLeftBehind({ path }: Run, positions: Positions): boolean {
  const [above, step] = split(path);
  return step !== undefined && positions.has(path) && positions.get(above)?.closedBy !== undefined;
}

/**
 * Whether a run has been told beside its caller since that was told to its end, and forgotten: this is known even where
 * the caller is not read again.
 */
export function hasOutlivedCaller({ path }: Run, positions: Positions): boolean {
  const [above, step] = split(path);
  return step !== undefined && positions.has(path) && !positions.has(above);
}

/** The paths of forks. */
export function forkPaths(runs: Iterable<Run>): Set<string> {
  return new Set([...runs].flatMap((run) => (isBeside(run) ? [run.path] : [])));
}

/** Whether a run has been told to its end, by its own told events. */
export function isClosed({ path }: Pick<Run, 'path'>, positions: Positions): boolean {
  return positions.get(path)?.closedBy !== undefined;
}

/**
 * Whether a run has gone on since it was told to have ended, maybe to its next end, and maybe in the same execution; or
 * was ended while it was idle, or is idle again.
 */
export function hasGoneOn(run: Run, positions: Positions): boolean {
  const { closedBy, closedSince = 0, wasIdle = false } = positions.get(run.path) ?? {};
  if (closedBy === undefined) return false;
  const isOther = wasIdle !== (run.status === 'idle') || carriedSince(run) > closedSince;
  return run.holder > closedBy || (closedSince > 0 && isOther);
}

/** Clocks of machines differ by less. */
const CLOCKS_MS = 60_000;

/** Whether a run that has been told to its end, by its parent's told events, may have gone on since the last look. */
export function mayHaveGoneOn(run: Run, top: Pick<Run, 'path'>, positions: Positions): boolean {
  const { seenAt = 0 } = positions.get(top.path) ?? {};
  return seenAt > 0 && carriedSince(run) > seenAt - CLOCKS_MS;
}

/** Beside the paths of runs: how far a question has been told. */
export function questionKey({ path }: Run, { turn, call }: Pick<Question, 'turn' | 'call'>): string {
  return `${path}?${callName({ turn, call })}`;
}

/** A run that goes on after its end asks open questions again. */
export function forgetOpenQuestions({ path }: Run, positions: Positions): void {
  for (const [place, { told }] of positions) {
    if (told === 1 && place.startsWith(`${path}?`)) positions.delete(place);
  }
}

/** Another process carries the tree on: it asks open questions again. */
export function forgetAllOpenQuestions(positions: Positions): void {
  for (const [place, { told }] of positions) if (told === 1 && place.includes('?')) positions.delete(place);
}

/**
 * Forgets runs that were started by calls of earlier turns and have been told to their end, with everything below them
 * except forks, which may continue. It keeps those below which another is left behind, that would be told all over again.
 */
export function forgetClosedBelow(
  { path }: Run,
  turn: number,
  positions: Positions,
  forks: ReadonlySet<string>,
): void {
  const closed = new Set<string>();
  for (const [at, { closedBy }] of positions) {
    const [above, step] = split(at);
    if (above === path && step !== undefined && closedBy !== undefined && callOf(step)[0] < turn)
      closed.add(at);
  }
  // After most turns.
  if (closed.size === 0) return;
  const closedAbove = (place: string) => {
    for (let [at = ''] = place.split('?'); at !== ''; [at] = split(at)) {
      if (forks.has(at)) return undefined;
      if (closed.has(at)) return at;
    }
    return undefined;
  };
  for (const [place, { closedBy }] of positions) {
    const above = closedBy === undefined && !place.includes('?') ? closedAbove(place) : undefined;
    if (above !== undefined) closed.delete(above);
  }
  for (const place of positions.keys()) if (closedAbove(place) !== undefined) positions.delete(place);
}

/** The turn and the call that a step from one run to another names; of a question, none. */
function callOf(step: string): [turn: number, call: number] {
  const [, turn = 0, call = 0] = (/^t(\d+)c(\d+)$/.exec(step) ?? []).map(Number);
  return [turn, call];
}

/** The path of the run above, and the step from there. */
function split(path: string): [string, string | undefined] {
  if (path === '') return ['', undefined];
  const at = path.lastIndexOf('_');
  return [path.slice(0, Math.max(0, at)), path.slice(at + 1)];
}

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const entry = v.tupleWithRest([v.string()], v.union([count, v.array(count)]));
type Entry = v.InferOutput<typeof entry>;

/** Clients could send anything: no tree has come to so many turns and calls. */
const MOST = 500_000;
const entries = v.pipe(
  v.array(entry),
  v.check((all) => all.flatMap(([, turn, , begun, ended]) => [turn, begun, ended]).reduce(add, 0) <= MOST),
);

function add(sum: number, field: Entry[1] = 0): number {
  return sum + (typeof field === 'number' ? field : 0);
}

/** A cursor that another version has handed out may come back to this one. */
const VERSION = 2;
const Cursor = v.pipe(
  v.string(),
  v.parseJson(),
  v.union([v.tuple([v.literal(VERSION), v.string(), entries]), v.tuple([v.string(), entries])]),
);

/**
 * Clients send cursors in a header, of which servers take 10,240 characters (API Gateway, "Quotas"). Longer ones are
 * made short, which other releases read only from this one on.
 */
const LONG = 4_000;
const SHORT = 'z.';

/** Positions as a text that a client hands back: opaque, and without zeros. */
export function toCursor(top: string, positions: Positions): string {
  const all = [...positions].map(([path, position]): Entry => {
    const { turn, told, begun, ended, sent, written, askedAt, closedBy = -1 } = position;
    const calls = [toCount(begun), toCount(ended)];
    const closed = [closedBy + 1, position.closedSince, Number(position.wasIdle)];
    const fields = [turn, told, ...calls, sent, written, askedAt, ...closed, position.seenAt];
    return [path, ...fields.slice(0, fields.findLastIndex((field) => field !== 0) + 1)];
  });
  const json = JSON.stringify([VERSION, top, all]);
  if (json.length <= LONG) return Buffer.from(json).toString('base64url');
  return `${SHORT}${deflateRawSync(json, { level: 5 }).toString('base64url')}`;
}

/** @returns undefined for a text that is no cursor of this run */
export function fromCursor(top: string, text: string): Positions | undefined {
  const parsed = v.safeParse(Cursor, toJson(text));
  if (!parsed.success) return undefined;
  const [version, of, all] = parsed.output.length === 3 ? parsed.output : [1, ...parsed.output];
  return of === top ? new Map(all.map((each) => [each[0], toPosition(each, version)])) : undefined;
}

/** @returns "" for what is no short form, or has more than any tree */
function toJson(text: string): string {
  if (!text.startsWith(SHORT)) return Buffer.from(text, 'base64url').toString();
  try {
    const short = Buffer.from(text.slice(SHORT.length), 'base64url');
    return inflateRawSync(short, { maxOutputLength: MOST }).toString();
  } catch {
    return '';
  }
}

/** In version 1, calls began and ended in their order, and no run was without a holder. */
function toPosition([, ...fields]: Entry, version: number): Position {
  const [turn, told, begun, ended, sent, written, askedAt, closed, closedSince, wasIdle, seenAt] = fields;
  const number = (field: Entry[1] = 0) => (typeof field === 'number' ? field : 0);
  const holder = number(closed) - (version === 1 ? 0 : 1);
  return {
    turn: number(turn),
    told: number(told),
    begun: toCalls(begun),
    ended: toCalls(ended),
    sent: number(sent),
    written: number(written),
    askedAt: number(askedAt),
    closedBy: number(closed) > 0 ? holder : undefined,
    closedSince: number(closedSince),
    wasIdle: number(wasIdle) > 0,
    seenAt: number(seenAt),
  };
}

/** Mostly, all up to one have. */
function toCount(calls: ReadonlySet<number>): number | number[] {
  const isUpTo = [...calls].every((call) => call <= calls.size);
  return isUpTo ? calls.size : [...calls];
}

function toCalls(field: Entry[1] = 0): Set<number> {
  return new Set(typeof field === 'number' ? Array.from({ length: field }, (_, index) => index + 1) : field);
}
