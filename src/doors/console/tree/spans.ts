import { isAwaited } from './state-words.ts';
import type { TreeNode } from './tree-store.ts';

/** A stretch of time, in milliseconds since 1970. */
export interface Stretch {
  from: number;
  to: number;
}

/** From a run's start to its end, or to now while it has none. */
export function spanOf({ run }: TreeNode, now: number): Stretch {
  const from = Date.parse(run.started_at);
  return { from, to: Math.max(from, run.ended_at === null ? now : Date.parse(run.ended_at)) };
}

/** When a run did something itself, instead of waiting for the runs below it. */
export function ownSpans(node: TreeNode, now: number): Stretch[] {
  const whole = spanOf(node, now);
  const below = node.children.filter(isAwaited).map((child) => spanOf(child, now));
  below.sort((one, other) => one.from - other.from);
  const own: Stretch[] = [];
  let { from } = whole;
  for (const child of below) {
    if (child.from > from) own.push({ from, to: Math.min(child.from, whole.to) });
    from = Math.max(from, child.to);
  }
  if (from < whole.to) own.push({ from, to: whole.to });
  return own;
}

export function lengthOf(spans: readonly Stretch[]): number {
  return spans.reduce((total, { from, to }) => total + to - from, 0);
}
