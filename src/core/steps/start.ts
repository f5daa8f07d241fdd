import { INVOKE, ITERATION, SUCCEED, sum } from '../machine/costs.ts';
import type { StartPlan } from '../records/plan.ts';
import { childOf } from '../records/run-id.ts';
import { toChildStep } from './delegate.ts';
import type { Kind } from './kind.ts';
import { outcomeText } from './outcome.ts';

/** The machine's report where the copy was started before, by an attempt whose acknowledgement was lost. */
const STARTED_BEFORE = 'StepFunctions.ExecutionAlreadyExistsException';

/** A copy of the agent: an execution of the machine that no other execution waits for. */
export const START = {
  atOnce: () => Infinity,
  startedRun: (plan, { run, turn, call }) => childOf(run, turn, call, plan.agent).id,
  costs: { answered: sum(ITERATION, INVOKE), failed: sum(ITERATION, INVOKE, SUCCEED) },

  async toStep(plan, planned) {
    const { run, turn, call, store, limits, isRepeated } = planned;
    // Its fate does not matter: continuing a tree continues its forks, too.
    const isStarted = isRepeated && (await store.run(childOf(run, turn, call, plan.agent).id)) !== undefined;
    if (isStarted) return undefined;
    return { kind: 'start', ...toChildStep(plan, { ...planned, depth: limits.depth, seconds: 0 }, 1) };
  },

  async toResult(call, plan, { run: parent, turn, call: number, outcome, store }) {
    const place = childOf(parent, turn, number, plan.agent);
    const { id } = place;
    const run = await store.run(id);
    if (run === undefined && outcome?.error !== undefined && outcome.error !== STARTED_BEFORE) {
      const text = `Error: fork failed - ${outcomeText(outcome)}`;
      return { callId: call.id, name: call.name, text, isError: true };
    }
    // Until it has a record, its name tells others that it is being started.
    const name = run?.name ?? (await store.claimName(place, plan.name));
    const text = JSON.stringify({ child_uuid: id, child_name: name });
    return { callId: call.id, name: call.name, text, isError: false };
  },
} satisfies Kind<StartPlan>;
