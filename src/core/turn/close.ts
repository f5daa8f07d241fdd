import type { Instant } from '../records/times.ts';
import type { RunStore } from '../records/ports.ts';
import { REMOTE_MODEL } from '../records/remote-model.ts';
import { isHeldBy } from './hold.ts';
import { AT_WORK, DEAD, OPEN, isIn } from '../records/phase.ts';
import { carriedSince, type Failure, type Run } from '../records/run.ts';
import { incompleteOf, resultOf, unusedOf, usageOf, withoutPast, type Turn } from '../records/turn.ts';
import { coarser, MAX_SPANS, timesOf } from '../records/spans.ts';
import { defined } from '../../defined.ts';
import { loadOnce } from '../../load-once.ts';

export interface ClosePorts {
  store: RunStore;
  now: () => Instant;
  /** Cancels what a run has had a remote agent do; absent where none can be reached, so that others have to. */
  giveUp?: (run: string) => Promise<void>;
}

/** How a run ends. */
export type RunEnd =
  | { status: 'succeeded' }
  /** It has answered, and goes on with its next message. */
  | { status: 'idle' }
  | { status: 'budget_exceeded'; exceeded: string }
  | { status: 'failed' | 'timed_out' | 'stopped'; failure: Failure };

/**
 * Closes the record of a run. A record that is closed already, or that another execution
 * carries by now, stays as it is: the run was stopped or taken over, or this is a repetition.
 * @param run the record as the closing execution knows it
 * @param ports.tree for a caller that ends many runs, and closes their questions at once: what was read of their tree
 * @returns the record as stored now, or undefined if there is none
 */
export async function closeRun(
  run: Run,
  turns: readonly Turn[],
  end: RunEnd,
  { store, now, giveUp, tree }: ClosePorts & { tree?: readonly Run[] },
): Promise<Run | undefined> {
  const endedAt = new Date(now()).toISOString();
  const { timelineOf } = await loadTimeline();
  const find = (id: string) => (tree === undefined ? store.run(id) : tree.find((one) => one.id === id));
  const hasAnswered = end.status === 'succeeded' || end.status === 'idle';
  const stoppedBy = end.status === 'stopped' && run.parent ? await whoStopped(run, find) : undefined;
  const closed = await store.updateRun(
    run.id,
    (current): Run => {
      // Unread messages are not passed over: a run that is to succeed has answered all of them.
      const isWrittenTo = end.status === 'succeeded' && current.hasMail === true && run.hasMail !== true;
      // It may have gone on in the same execution, and be about to rest anew.
      const isSame = isHeldBy(current, run) && carriedSince(current) === carriedSince(run);
      const closes = isIn(OPEN, current) && isSame && !isWrittenTo;
      if (!closes) return current;
      const { isToGiveUp: _known, ...open } = withoutPast(current, turns);
      const isToGiveUp = current.model === REMOTE_MODEL && !hasAnswered;
      const stopReason = turns.at(-1)?.answer.rawStopReason;
      const unused = unusedOf(open, turns);
      const ended = {
        ...open,
        ...end,
        ...defined({ unused }),
        ...(isToGiveUp && { isToGiveUp }),
        ...defined({ stoppedBy: current.stoppedBy ?? stoppedBy }),
        endedAt: current.status === 'idle' ? (current.endedAt ?? endedAt) : endedAt,
      };
      const spans = timelineOf(ended, turns);
      return {
        ...ended,
        times: timesOf(spans),
        spans: coarser(spans, MAX_SPANS),
        usage: usageOf(turns, unused),
        characters: resultOf(end, turns).length,
        ...defined({ stopReason, incomplete: incompleteOf(end, turns) }),
      };
    },
    run,
  );
  if (closed === undefined || isIn(AT_WORK, closed)) return closed;
  // A turn that ends a run has closed the questions before it.
  if (tree === undefined && isIn(DEAD, closed)) await store.closeQuestions(closed.root, [closed], now());
  const isLimited = closed.parent === undefined && (await store.opened(closed.id))?.budget?.perDay;
  if (isLimited) await (await import('../spending/return-allotment.ts')).returnAllotment(closed.id, store);
  await giveUpTask(closed, giveUp);
  // A turn that was under way may have been saved just before, by a function that found the record open: after an
  // answer, one that was made for a message. Of many runs that are ended at once this is not read: their turns were read
  // in the same moment.
  const mayBeLate = (!hasAnswered || closed.hasMail === true) && tree === undefined;
  const late = mayBeLate ? await store.turn(closed.id, turns.length + 1) : undefined;
  const made = late === undefined ? turns : [...turns, late];
  return closed.usage.turns < made.length ? countLate(made, closed, store) : closed;
}

/** Once for each run, and not in every cold start. */
const loadTimeline = loadOnce(() => import('../records/timeline.ts'));

/** Has a remote agent give up the task of a run that has ended without its answer, if it has not been told so yet. */
export async function giveUpTask(run: Run, giveUp: ClosePorts['giveUp']): Promise<void> {
  if (run.isToGiveUp === true) await giveUp?.(run.id);
}

/**
 * Counts the turns of a run that was closed while its newest was under way: it is paid for all the same.
 * @param turns all of them
 * @returns the record as stored now
 */
export function countLate(
  turns: readonly Turn[],
  run: Pick<Run, 'id'>,
  store: Pick<RunStore, 'updateRun'>,
): Promise<Run | undefined> {
  return store.updateRun(run.id, (current) => {
    if (isIn(AT_WORK, current) || current.usage.turns >= turns.length) return current;
    const unused = unusedOf(current, turns);
    return { ...current, ...defined({ unused }), usage: usageOf(turns, unused) };
  });
}

/** Who stopped a run or, where it ended with its caller, who stopped that. */
async function whoStopped(
  { parent, stoppedBy }: Run,
  find: (id: string) => Promise<Run | undefined> | Run | undefined,
): Promise<string | undefined> {
  if (stoppedBy !== undefined || parent === undefined) return stoppedBy;
  const caller = await find(parent.run);
  return caller && whoStopped(caller, find);
}
