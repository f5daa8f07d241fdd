import { counted } from '../../counted.ts';
import { messageOf } from '../../errors.ts';
import { pausedAt } from '../records/clock.ts';
import { ANSWERED, DEAD, isIn, OPEN, UNDER_WAY } from '../records/phase.ts';
import type { CallKey } from '../records/call.ts';
import { mayAsk } from '../records/plan.ts';
import { carriedSince, isAhead, isOverdue, runsBelow, type Run } from '../records/run.ts';
import { onTreeClock, timeBetween, type Instant } from '../records/times.ts';
import { identityOf } from '../events/event.ts';
import type { LiveBus } from '../events/live.ts';
import type { ExecutionEnd } from '../machine/executions.ts';
import { wakeAsker } from './answer-question.ts';
import { endBelow, haltBelow } from './end-agents.ts';
import { startingForks } from './due.ts';
import { hasBegunAgain } from './ended-caller.ts';
import { ASKED_AT_ONCE, inBatches } from './in-batches.ts';
import { killForPerson } from './kill-agent.ts';
import type { ResidentPorts } from './ports.ts';
import { wakeDue } from './recover.ts';
import { endEvent, settleRun } from './settle.ts';
import { giveUpTask } from '../turn/close.ts';
import { wakeWaiting } from './wake-agents.ts';

/** How a run ends whose execution has ended well and left it open. */
const NOT_CLOSED: ExecutionEnd = {
  status: 'FAILED',
  error: 'AgentError',
  cause: 'its execution ended without closing the run',
};

/** How a run ends whose execution never came. */
const NEVER_BEGUN: ExecutionEnd = {
  status: 'FAILED',
  error: 'AgentError',
  cause: 'its execution was never started',
};

export interface SweepPorts extends ResidentPorts {
  live: LiveBus;
  /** How an execution ended; undefined: it runs. @param since when it began to carry its run */
  endOf(execution: string, since: Instant): Promise<ExecutionEnd | undefined>;
}

/** How far a sweep goes. */
export interface SweepReach {
  /** From when on it begins with no other tree. */
  over: AbortSignal;
  /** Keeps the tree behind which the next one goes on; undefined: none is left. */
  note(last: string | undefined): Promise<void>;
}

/** Trees that are swept at once. */
const SWEPT_AT_ONCE = 5;

/**
 * Sweeps trees as long as there is time.
 * @throws {AggregateError} of what went wrong in some trees, once the others have been swept
 */
export async function sweepTrees(
  trees: AsyncIterable<Run[]>,
  ports: SweepPorts,
  reach?: SweepReach,
): Promise<void> {
  const faults: unknown[] = [];
  const underWay = new Set<string>();
  let last: string | undefined;
  const fail = (thrown: unknown) => void faults.push(thrown);
  // At once: what its trees keep at work too long is ended without a word, and would begin with the same ones again.
  reach?.over.addEventListener('abort', () => void reach.note(last).catch(fail));
  const reading = trees[Symbol.asyncIterator]();
  const sweepOn = async () => {
    for (let next = await reading.next(); next.done !== true; next = await reading.next()) {
      for (const { root } of next.value) underWay.add((last = root));
      await sweepTree(next.value, ports).catch(fail);
      if (reach?.over.aborted === true) return;
    }
  };
  await Promise.all(Array.from({ length: SWEPT_AT_ONCE }, () => sweepOn().catch(fail)));
  const isCut = reach?.over.aborted === true;
  if (!isCut) last = undefined;
  await reach?.note(last);
  if (!isCut) {
    const { returnLost } = await import('../spending/return-allotment.ts');
    await returnLost(underWay, ports).catch(fail);
  }
  if (faults.length === 0) return;
  throw new AggregateError(
    faults,
    `${counted(faults.length, 'tree')} could not be swept: ${messageOf(faults[0])}`,
  );
}

/**
 * Makes up for what a tree did not hear of: events about ends of executions, whose delivery is best effort, and
 * requests of people, which are in the store. Repeating any of this is harmless.
 */
async function sweepTree(read: Run[], ports: SweepPorts): Promise<void> {
  const [top] = read;
  if (top === undefined) return;
  const { root } = top;
  const doomed = read.filter((run) => run.isToBeKilled === true && isIn(OPEN, run));
  for (const run of doomed) await killForPerson(run, ports);
  const tree = doomed.length === 0 ? read : await ports.store.tree(root);
  await closeEnded(tree, await suspicious(tree, ports), ports);
  await closeNeverBegun(tree, ports);
  await deliverAnswers(tree, ports);
  await wakeWaiting(root, ports);
  await wakeDue(tree, tree, ports);
  for (const run of tree) await giveUpTask(run, ports.giveUp);
}

/** A run that seems to be at work is asked for once in each hour of its work, by one of the sweeps of that hour. */
const ASKED_EVERY_MS = 3_600_000;
const SWEPT_EVERY_MS = 300_000;

/** Runs under way whose time is over, which are below an agent that has ended, or whose turn it is to be asked for. */
async function suspicious(tree: readonly Run[], { store, now }: SweepPorts): Promise<Run[]> {
  const [top] = tree;
  const clock = top && (await store.clock(top.root));
  const time = onTreeClock(now(), pausedAt(clock, now()));
  const isDue = (run: Run) =>
    timeBetween(carriedSince(run), now()) % ASKED_EVERY_MS >= ASKED_EVERY_MS - SWEPT_EVERY_MS;
  return tree.filter(
    (run) =>
      run.execution !== '' &&
      isIn(UNDER_WAY, run) &&
      (isOverdue(run, time) || deadAbove(run, tree) !== undefined || isDue(run)),
  );
}

/** By this time after its caller has continued, or come to rest, an execution has begun, or its start was lost. */
const STARTING_MS = 300_000;

/** Closes agents whose executions never came, so that their callers are told. */
async function closeNeverBegun(tree: readonly Run[], ports: SweepPorts): Promise<void> {
  const { store, now } = ports;
  for (const run of [...tree, ...(await missedForks(tree, ports))]) {
    if (run.parent === undefined || !isAhead(run) || !isIn(UNDER_WAY, run)) continue;
    // Below one that has ended, it begins when that goes on.
    if (deadAbove(run, tree) !== undefined) await settleRun(endEvent(run, { status: 'ABORTED' }), ports);
    else if (isBelowAnswer(run, tree)) await (await loadAhead()).stopAhead(run, { store, now: now() });
    else if (await isMissed(run.parent, tree, ports)) await settleRun(endEvent(run, NEVER_BEGUN), ports);
  }
}

/** Whether the function that wrote an agent down died before it saw that the caller has its answer. */
function isBelowAnswer({ parent }: Run, tree: readonly Run[]): boolean {
  const caller = tree.find(({ id }) => id === parent?.run);
  return caller !== undefined && isIn(ANSWERED, caller);
}

/** Few trees have agents that were written down and not begun. */
const loadAhead = () => import('../steps/ahead.ts');

/** Whether an agent would have begun by now that was started by a call. */
async function isMissed(
  { run, turn }: CallKey,
  tree: readonly Run[],
  { store, now }: SweepPorts,
): Promise<boolean> {
  const newest = await store.newestTurn(run);
  const { endedAt } = tree.find(({ id }) => id === run) ?? {};
  const since = newest !== undefined && newest.number > turn ? newest.at : endedAt;
  return since !== undefined && now() - Date.parse(since) > STARTING_MS;
}

/** Writes records of forks whose executions ended before they had any, as if they had been written ahead. */
async function missedForks(tree: readonly Run[], ports: SweepPorts): Promise<Run[]> {
  const { store, now } = ports;
  const [top] = tree;
  const starting = top === undefined ? [] : await startingForks({ id: top.root, path: '' }, tree, store);
  const written: Run[] = [];
  for (const { parent, by } of starting) {
    if (isIn(DEAD, parent) || deadAbove(parent, tree) !== undefined || !(await isMissed(by, tree, ports)))
      continue;
    const [turn, opened] = await Promise.all([store.turn(by.run, by.turn), store.opened(by.run)]);
    const plan = turn?.plans[by.call - 1];
    if (plan?.kind !== 'start' || opened === undefined) continue;
    const { writeAhead } = await loadAhead();
    written.push(await writeAhead(plan, { ...by, run: parent, limits: opened.delegation, store }, now()));
  }
  return written;
}

/** The nearest dead agent above a run that has not been brought back by a person since, or begun again by that agent. */
function deadAbove(run: Run, tree: readonly Run[]): Run | undefined {
  for (let one = run; one.isForPerson !== true;) {
    const above = tree.find(({ id }) => id === one.parent?.run);
    if (above === undefined || isIn(OPEN, above) || hasBegunAgain(above, one)) return undefined;
    if (isIn(DEAD, above)) return above;
    one = above;
  }
  return undefined;
}

async function closeEnded(tree: readonly Run[], runs: readonly Run[], ports: SweepPorts): Promise<void> {
  const { live } = ports;
  const dead = new Set<Run>();
  await inBatches(ASKED_AT_ONCE, runs, async (run) => {
    const end = await ports.endOf(run.execution, carriedSince(run));
    const above = deadAbove(run, tree);
    if (end === undefined && above === undefined) return;
    const message =
      'it was found open though its execution, or an agent above it, had ended, and is closed now';
    live.tell({ type: 'warning', ...identityOf(run), message });
    if (end !== undefined) {
      await haltBelow(run, tree, ports);
      await settleRun(endEvent(run, end.status === 'SUCCEEDED' ? NOT_CLOSED : end), ports);
    } else if (above !== undefined) dead.add(above);
  });
  for (const run of dead) {
    if (runsBelow(run, tree).some(({ isForPerson }) => isForPerson === true)) continue;
    await haltBelow(run, tree, ports);
    await endBelow(run, ports);
  }
}

/** Wakes those that wait for an answer that has been given. */
async function deliverAnswers(tree: readonly Run[], { store, wake }: SweepPorts): Promise<void> {
  for (const run of tree.filter((one) => isIn(UNDER_WAY, one))) {
    const { number = 0, plans = [] } = (await store.newestTurn(run.id)) ?? {};
    const calls = plans.flatMap((plan, index) => (mayAsk(plan) ? [{ turn: number, call: index + 1 }] : []));
    // A text that hooks put before a person belongs to the next turn, which is kept apart until then.
    for (const asked of [...calls, { turn: number + 1, call: 0 }]) {
      const at = { run: run.id, ...asked };
      if ((await store.answer(at)) !== undefined) await wakeAsker(at, store, wake);
    }
  }
}
