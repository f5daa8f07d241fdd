import { Buffer } from 'node:buffer';
import * as v from 'valibot';
import { callName } from '../records/call.ts';
import type { Question } from '../records/question.ts';
import type { Run } from '../records/run.ts';

/** How far the events of one run have been told. */
export interface Position {
  /** The turn that is being told; 0 while the opening of the run is. */
  turn: number;
  /**
   * How many events of the opening have been told; of a turn or a question, whether its begin (1) and its end (2) have.
   */
  told: number;
  /** How many begins of the turn's calls have been told, and how many of their ends. */
  begun: number;
  ended: number;
  /** How many of the parts that the next event consists of have been told. */
  sent: number;
  /** How much of the turn's answer was told while it was being written, in characters. */
  written: number;
  /** When the model was asked for that answer, in milliseconds since 1970; 0 where nothing of one was told. */
  askedAt: number;
  /** The holder that closed the run, once that has been told; 0 until then. */
  closedBy: number;
}

/**
 * By path below the top of the tree, the runs whose calls have not been told to their end, and the top itself; beside
 * them, by path and call, the questions of calls that have not.
 */
export type Positions = Map<string, Position>;

/** Cursors have the numbers in this order. */
export const BEGINNING: Readonly<Position> = {
  turn: 0,
  told: 0,
  begun: 0,
  ended: 0,
  sent: 0,
  written: 0,
  askedAt: 0,
  closedBy: 0,
};

/** Whether a run has been told to its end, by what has been told of its parent. */
export function isPast({ path }: Run, positions: Positions): boolean {
  for (let [above, step] = split(path); step !== undefined; [above, step] = split(above)) {
    const position = positions.get(above);
    if (position === undefined) continue;
    const [, turn = 0, call = 0] = (/^t(\d+)c(\d+)$/.exec(step) ?? []).map(Number);
    return position.turn > turn || (position.turn === turn && position.ended >= call);
  }
  return false;
}

/** Whether a run has been told to its end, by what has been told of itself. */
export function isClosed({ path }: Pick<Run, 'path'>, positions: Positions): boolean {
  return (positions.get(path)?.closedBy ?? 0) > 0;
}

/** Beside the paths of runs: how far a question has been told. */
export function questionPlace({ path }: Run, { turn, call }: Pick<Question, 'turn' | 'call'>): string {
  return `${path}?${callName({ turn, call })}`;
}

/** A run that goes on after its end asks again what was open. */
export function forgetOpenQuestions({ path }: Run, positions: Positions): void {
  for (const [place, { told }] of positions) {
    if (told === 1 && place.startsWith(`${path}?`)) positions.delete(place);
  }
}

/** A run that has been told to its end, and all below it. */
export function forgetRun({ path }: Run, positions: Positions): void {
  for (const known of positions.keys()) {
    if (known === path || known.startsWith(`${path}_`)) positions.delete(known);
  }
}

/** The path of the run above, and the step from there. */
function split(path: string): [string, string | undefined] {
  if (path === '') return ['', undefined];
  const at = path.lastIndexOf('_');
  return [path.slice(0, Math.max(0, at)), path.slice(at + 1)];
}

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const Cursor = v.pipe(
  v.string(),
  v.parseJson(),
  v.tuple([v.string(), v.array(v.tupleWithRest([v.string()], count))]),
);

/** Positions as a text that a client hands back: opaque, and without what is zero. */
export function toCursor(top: string, positions: Positions): string {
  const entries = [...positions].map(([path, position]) => {
    const numbers = Object.values({ ...BEGINNING, ...position });
    return [path, ...numbers.slice(0, numbers.findLastIndex((number) => number > 0) + 1)];
  });
  return Buffer.from(JSON.stringify([top, entries])).toString('base64url');
}

/** @returns undefined for what is no cursor of this run */
export function fromCursor(top: string, text: string): Positions | undefined {
  const parsed = v.safeParse(Cursor, Buffer.from(text, 'base64url').toString());
  if (!parsed.success || parsed.output[0] !== top) return undefined;
  return new Map(
    parsed.output[1].map(([path, ...numbers]) => [
      path,
      Object.assign(
        { ...BEGINNING },
        ...Object.keys(BEGINNING).map((key, index) => ({ [key]: numbers[index] ?? 0 })),
      ),
    ]),
  );
}
