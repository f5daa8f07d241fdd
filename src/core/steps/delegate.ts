import { type Seconds, shortest } from '../records/times.ts';
import { AgentError } from '../../errors.ts';
import { AWAITED, CHOICE, INVOKE, ITERATION, SUCCEED, sum } from '../machine/costs.ts';
import { isComputed } from '../model/model-name.ts';
import { childDeadline, secondsUntil } from '../records/deadline.ts';
import type { CallResult } from '../records/call.ts';
import { STOPPED } from '../records/closing-reason.ts';
import type { DelegatePlan } from '../records/plan.ts';
import { preview } from '../records/preview.ts';
import { childOf } from '../records/run-id.ts';
import type { RunStore } from '../records/ports.ts';
import { ANSWERED, ENDED, isIn } from '../records/phase.ts';
import type { Run } from '../records/run.ts';
import { isAnswer, type Turn } from '../records/turn.ts';
import type { Ended, Kind, Planned } from './kind.ts';
import { outcomeText } from './outcome.ts';
import type { DelegateStep } from './step.ts';

const COSTS = {
  answered: sum(ITERATION, AWAITED),
  failed: sum(ITERATION, AWAITED, SUCCEED),
};
/** The same for a leaf in an Express execution, and for one that is moved and fails after that. */
const LEAF_COSTS = {
  answered: sum(ITERATION, INVOKE, CHOICE, SUCCEED),
  failed: sum(ITERATION, INVOKE, CHOICE, AWAITED, SUCCEED),
};

/** A sub-agent: a nested execution of the machine that its caller waits for. */
export const DELEGATE = {
  atOnce: ({ derived }) => derived?.atOnce ?? Infinity,
  startedRun: (plan, { run, turn, call }) => childOf(run, turn, call, plan.agent).id,
  costs: COSTS,
  leafCosts: LEAF_COSTS,
  worstCost: ({ express }) => (express ? LEAF_COSTS : COSTS).failed,

  async toStep(plan, planned) {
    const { run, turn, call, store, isRepeated } = planned;
    if (!isRepeated) return { ...toDelegateStep(plan, planned, 1), ...(plan.express && { kind: 'express' }) };
    const child = await store.run(childOf(run, turn, call, plan.agent).id);
    if (child !== undefined && isIn(ENDED, child)) return undefined;
    // The name of an execution stays taken for 90 days, however it ended; this one is new.
    return toDelegateStep(plan, planned, Math.max(run.holder, (child?.holder ?? 0) + 1));
  },

  async toResult(call, plan, ended) {
    const { run: caller, turn, store, tools, now } = ended;
    const way = tools.planned(call.name);
    if (way?.toResult === undefined) {
      throw new AgentError(`there is no way to delegate that is called "${call.name}"`);
    }
    const { agent, derived } = plan;
    const { id } = childOf(caller, turn, ended.call, agent);
    // The answer is read at the same time, since each read that waits for another costs one more round trip.
    const isWhole = derived !== undefined;
    const [run, said] = await Promise.all([store.run(id), isWhole ? store.turns(id) : newestOf(id, store)]);
    ended.waited?.('agents', run?.endedAt === undefined ? now : Date.parse(run.endedAt));
    const reason = run !== undefined && isIn(ANSWERED, run) ? '' : reasonOf(run, ended);
    // The answer is in the last turn, unless messages caused further turns; what a budget left of one may be in any.
    const isInLast = run?.status !== 'budget_exceeded' && said.some(isAnswer);
    const turns = isWhole || isInLast ? said : await store.turns(id);
    const isForComputed = isComputed(caller.model);
    const calls = way.showsFiles && !isForComputed ? await callsOf(id, turns, store) : [];
    const result = way.toResult({ agent, run, turns, calls, reason, isForComputed });
    return { callId: call.id, name: call.name, ...result };
  },
} satisfies Kind<DelegatePlan> & { leafCosts: Kind<DelegatePlan>['costs'] };

function toDelegateStep(plan: DelegatePlan, planned: Planned, holder: number): DelegateStep {
  const { limits } = planned;
  const depth =
    plan.derived?.isComputed && plan.derived.remote === undefined ? limits.depth : limits.depth + 1;
  const seconds = plan.derived?.seconds ?? limits.timeout;
  return { kind: 'delegate', ...toChildStep(plan, { ...planned, depth, seconds }, holder) };
}

/**
 * The machine's input for starting an agent.
 * @param seconds that the agent may take from its start; 0: all that are left
 * @param holder which execution of the agent's run it is
 */
export function toChildStep(
  { agent, task }: Pick<DelegatePlan, 'agent' | 'task'>,
  {
    run,
    turn,
    call,
    deadline,
    now,
    previewBytes,
    depth,
    seconds,
  }: Pick<Planned, 'turn' | 'call' | 'deadline' | 'now' | 'previewBytes'> & {
    run: Pick<Run, 'id' | 'path'>;
    depth: number;
    seconds: Seconds;
  },
  holder: number,
): Omit<DelegateStep, 'kind'> {
  const latest = childDeadline(now, deadline);
  const left = secondsUntil(latest, now);
  return {
    call,
    run: childOf(run, turn, call, agent).id,
    holder,
    agent,
    task: preview(task, previewBytes),
    depth,
    deadline: latest,
    timeout: seconds > 0 ? shortest(seconds, left) : left,
  };
}

/** The results that functions kept of a run's calls. */
async function callsOf(run: string, turns: readonly Turn[], store: RunStore): Promise<CallResult[]> {
  const keys = turns.flatMap(({ number, plans }) =>
    plans.flatMap(({ kind }, index) => (kind === 'invoke' ? [{ run, turn: number, call: index + 1 }] : [])),
  );
  const kept = await Promise.all(keys.map((key) => store.callResult(key)));
  return kept.filter((result) => result !== undefined);
}

async function newestOf(run: string, store: RunStore): Promise<Turn[]> {
  const newest = await store.newestTurn(run);
  return newest === undefined ? [] : [newest];
}

/** The run's own record takes precedence; the machine's view stands in if the run never wrote one. */
function reasonOf(child: Run | undefined, { outcome, limits: { timeout: seconds } }: Ended): string {
  const timedOut = outcome?.error === 'States.Timeout' || outcome?.error === 'States.HeartbeatTimeout';
  if (child?.status === 'timed_out' || timedOut) return `timeout after ${child?.timeout ?? seconds}s`;
  if (child?.failure !== undefined) return child.failure.message;
  // Its record is closed by an event, which may come later.
  if (outcome?.error === 'Stopped') return outcome.cause || STOPPED;
  if (child?.status === 'stopped') return STOPPED;
  return outcomeText(outcome);
}
