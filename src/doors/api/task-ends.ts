import * as v from 'valibot';
import { INCOMPLETE, type Incomplete, type Run } from '../../core/records/run.ts';
import { seconds } from '../../core/records/times.ts';
import type { Turn } from '../../core/records/turn.ts';
import { parseJson } from '../../json.ts';
import type { ApiContext } from './context.ts';

/**
 * How tasks ended whose clients have been shown that they are over. Nothing changes such a task any more, whoever has its
 * run go on, of whose record nothing tells of that end then. A whole answer stays in the turns: see `isBehindEnd`.
 */

/** A run and its turns as they were when a task was over. */
export interface TaskEnd {
  run: Run;
  turns: readonly Turn[];
}

const Kept = v.object({
  status: v.picklist(['succeeded', 'idle', 'budget_exceeded', 'failed', 'timed_out', 'stopped']),
  endedAt: v.exactOptional(v.string()),
  timeout: v.pipe(v.number(), v.transform(seconds)),
  failure: v.exactOptional(v.object({ error: v.string(), message: v.string() })),
  exceeded: v.exactOptional(v.string()),
  incomplete: v.exactOptional(v.custom<Incomplete>((word) => typeof word === 'string' && word in INCOMPLETE)),
  passedOver: v.exactOptional(v.object({ turn: v.number(), at: v.string(), reason: v.string() })),
  /** How many there were. */
  turns: v.number(),
});

function keyOf(task: string): string {
  return `task end ${task}`;
}

/**
 * Keeps the end of its run as that of a task, before its client is shown it.
 * @returns the end that was kept first
 */
export async function keepEnd(task: string, end: TaskEnd, { environment }: ApiContext): Promise<TaskEnd> {
  const { run } = end;
  const digest = JSON.stringify(v.parse(Kept, { ...run, turns: run.usage.turns }));
  return toEnd((await environment.once(keyOf(task), { run: run.id, digest }, run.id)).digest, end);
}

/** @param now its run, with all turns */
export async function keptEnd(
  task: string,
  now: TaskEnd,
  { environment }: ApiContext,
): Promise<TaskEnd | undefined> {
  const hasGoneOn = now.run.resumedAt !== undefined;
  const kept = hasGoneOn ? await environment.records.bound(keyOf(task), now.run.id) : undefined;
  return kept && toEnd(kept.digest, now);
}

function toEnd(digest: string, now: TaskEnd): TaskEnd {
  const { turns, ...then } = v.parse(Kept, parseJson(digest));
  const {
    endedAt: _endedAt,
    failure: _failure,
    exceeded: _exceeded,
    incomplete: _incomplete,
    passedOver: _passedOver,
    ...others
  } = now.run;
  return { run: { ...others, ...then }, turns: now.turns.slice(0, turns) };
}
