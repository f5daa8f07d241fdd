import { eachInTurn } from '../../each-in-turn.ts';
import type { Json } from '../../json.ts';
import { batchOwner, type BatchMember } from '../records/batched.ts';
import { forfeit, release } from '../records/ledger.ts';
import { isIn, UNDER_WAY } from '../records/phase.ts';
import { isUnused, type Run, type UnusedAnswer } from '../records/run.ts';
import { usageOf } from '../records/turn.ts';
import { paidFor } from '../spending/spending.ts';
import { defined } from '../../defined.ts';
import type { Part } from './create-part.ts';
import type { BatchPorts } from './ports.ts';

/** The pause between two tokens that are sent back: at most 50 a second, which Step Functions takes in every Region. */
const BETWEEN_WAKES_MS = 20;

/**
 * Makes sure that delivered answers are used: wakes the executions that wait for them, and charges answers that nobody
 * will take.
 * @returns how many turns are still to be made
 */
export async function settlePart(part: Part, ports: BatchPorts, signal: AbortSignal): Promise<number> {
  let left = 0;
  await eachInTurn(part.members, async (member) => {
    if (await isSettled(member, part, ports)) return;
    left += 1;
    for (const token of await part.batches.batchWaits(member.run, member.turn)) {
      await ports.wake(token, {});
      await ports.sleep(BETWEEN_WAKES_MS, signal);
    }
  });
  return left;
}

async function isSettled(member: BatchMember, part: Part, ports: BatchPorts): Promise<boolean> {
  const { store } = ports;
  const [run, made] = await Promise.all([store.run(member.run), store.turn(member.run, member.turn)]);
  if (run === undefined || made?.answer.usage.service === 'batch') return true;
  if (made === undefined && isIn(UNDER_WAY, run)) return false;
  const known = await part.batches.batchedResult(run.id, member.turn);
  if (known !== undefined && 'answered' in known.result) {
    // One that has come to rest may be on its way again, unless its model was asked alone since.
    await chargeUnused(member, known.result.answered, part, ports, made !== undefined);
  } else {
    const owner = batchOwner(run.id, member.turn);
    await store.changeLedger(run.id, (kept) => ({ ledger: kept && release(kept, owner) }));
  }
  return true;
}

/**
 * Charges an answer that makes no turn, once, in the ledger of its run and in the run's usage.
 * @param isLost whether it can make no turn any more, even if its run continues
 */
export async function chargeUnused(
  { run, turn }: BatchMember,
  answered: Json,
  { api, model, batches }: Part,
  { store, prices, now }: BatchPorts,
  isLost = true,
): Promise<void> {
  const pending = await batches.pendingTurn(run, turn);
  const spent = api.spentOn(pending?.endpoint ?? '', answered);
  const usage = spent === 'unknown' ? undefined : spent;
  const nanoUsd = usage && prices.costOf(model, usage);
  const owner = batchOwner(run, turn);
  await store.changeLedger(run, (kept) => ({
    ledger: kept && forfeit(kept, owner, usage && paidFor(usage, nanoUsd)),
  }));
  const unused: UnusedAnswer = { turn, at: new Date(now()).toISOString(), ...defined({ usage, nanoUsd }) };
  const isDone = (current: Run) => isUnused(current, turn) || (!isLost && isIn(UNDER_WAY, current));
  for (const isLast of [false, true]) {
    const turns = await store.turns(run);
    const updated = await store.updateRun(run, (current): Run => {
      // A function that was making a turn of it has done so meanwhile.
      if (turns[turn - 1]?.answer.usage.service === 'batch') return current;
      // It may have closed with another turn since these were read.
      if (isDone(current) || (!isLast && turns.length < current.usage.turns)) return current;
      const after = { ...current, unused: [...(current.unused ?? []), unused] };
      return isIn(UNDER_WAY, current) ? after : { ...after, usage: usageOf(turns, after.unused) };
    });
    if (updated === undefined || isDone(updated)) return;
  }
}
