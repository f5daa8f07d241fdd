import type { CallResult } from '../records/call.ts';
import type { AskedQuestion } from '../records/question.ts';
import type { Opened } from '../records/opened.ts';
import type { BegunTurn, Run } from '../records/run.ts';
import type { Draft, Turn } from '../records/turn.ts';
import type { TextQuestions } from './text-questions.ts';

/** A run that is watched, with everything below it. */
export type Top = Pick<Run, 'id' | 'root' | 'path'>;

/** The records of a tree that its events are made from. */
export interface TreeRecords {
  /** By run id. */
  runs: ReadonlyMap<string, RunRecords>;
  /** When it was read, in milliseconds since 1970. */
  at: number;
}

/** The records of a run. */
export interface RunRecords {
  run: Run;
  /** Undefined until it has been written. */
  opened: Pick<Opened, 'skill' | 'files'> | undefined;
  turns: TurnRecords[];
  /** What people were asked about the texts of its turns, of a run whose texts hooks are asked about. */
  aboutTexts?: TextQuestions | undefined;
  /** The turn that is kept apart meanwhile. */
  withheld?: BegunTurn | undefined;
  /** Absent where no client watched. */
  draft?: Draft | undefined;
}

export interface TurnRecords {
  turn: Turn;
  /** The run that each call started, in call order; undefined for calls that start none. */
  children: (string | undefined)[];
  /** The question to a person because of each call, in call order; undefined where there was none. */
  questions: (AskedQuestion | undefined)[];
  /** When each call began, in milliseconds since 1970, in call order; undefined where it has not, as far as is known. */
  begins: (number | undefined)[];
  /** How each call ended, in call order; undefined where it has not, as far as is known. */
  ends: (CallEnd | undefined)[];
}

/** How a call ended. `startedAt` is left to its turn. */
export interface CallEnd extends Omit<CallResult, 'startedAt'> {
  /** When, in milliseconds since 1970. */
  at: number;
}
