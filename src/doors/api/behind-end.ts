import { nameInArn } from '../../arn.ts';
import { isIn, UNDER_WAY } from '../../core/records/phase.ts';
import type { Run } from '../../core/records/run.ts';
import { isAnswer, type Turn } from '../../core/records/turn.ts';

/**
 * Whether a run had ended with its answer when a message was read: another execution reads it.
 * @param readIn the index of the turn; -1: none yet
 */
export function isBehindEnd(readIn: number, turns: readonly Turn[], run: Run): boolean {
  const before = readIn < 0 ? turns.at(-1) : turns[readIn - 1];
  if (before === undefined || !isAnswer(before)) return false;
  if (readIn < 0 && !isIn(UNDER_WAY, run)) return true;
  const executionOf = (turn: Turn | undefined) => turn?.execution ?? run.id;
  const now = readIn < 0 ? nameInArn(run.execution) : executionOf(turns[readIn]);
  return now !== executionOf(before);
}
