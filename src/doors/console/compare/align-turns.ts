import type { RunOverview } from '../../../core/reports/run-schemas.ts';
import type { TurnBlock } from '../detail/turns.ts';

/** A run that is compared, with its own turns. */
export interface ComparedTurns {
  run: Pick<RunOverview, 'forked_from' | 'run_id'>;
  turns: readonly TurnBlock[];
}

/** Turns at the same place of two conversations, one of which may have none there. */
export interface TurnPair {
  left: TurnBlock | undefined;
  right: TurnBlock | undefined;
  /** Whether both answered the same and made the same calls. */
  isSame: boolean;
}

export interface Alignment {
  /** How many turns both have in common at their beginning. */
  common: number;
  /** Those that come after, in order. */
  pairs: readonly TurnPair[];
}

/**
 * Puts the turns of two runs side by side. Where one was forked from the other, or both from a third, their turns count
 * from the beginning of the conversation that they share; elsewhere equal turns at the beginning are what they share.
 */
export function alignTurns(left: ComparedTurns, right: ComparedTurns): Alignment {
  const isRelated = originOf(left) === originOf(right);
  const [before, beforeRight] = isRelated ? [inheritedBy(left), inheritedBy(right)] : [0, 0];
  const most = Math.max(before + left.turns.length, beforeRight + right.turns.length);
  const all = Array.from({ length: most }, (_, index) =>
    toPair(left.turns[index - before], right.turns[index - beforeRight]),
  );
  const shared = isRelated ? sharedBy(before, beforeRight) : 0;
  const others = all.slice(shared).findIndex(({ isSame }) => !isSame);
  const common = shared + (others < 0 ? all.length - shared : others);
  return { common, pairs: all.slice(common) };
}

/** A copy has the turns of its origin; two copies share those of the shorter inherited part. */
function sharedBy(left: number, right: number): number {
  return left === 0 || right === 0 ? Math.max(left, right) : Math.min(left, right);
}

function originOf({ run }: ComparedTurns): string {
  return run.forked_from?.run_id ?? run.run_id;
}

function inheritedBy({ run }: ComparedTurns): number {
  return run.forked_from === undefined ? 0 : run.forked_from.turn - 1;
}

function toPair(left: TurnBlock | undefined, right: TurnBlock | undefined): TurnPair {
  const isSame = left !== undefined && right !== undefined && deedsOf(left) === deedsOf(right);
  return { left, right, isSame };
}

function deedsOf({ answer, calls }: TurnBlock): string {
  return JSON.stringify([answer.text, calls.map(({ call: { name, arguments: given } }) => [name, given])]);
}
