import { INVOKE, ITERATION, SUCCEED, sum } from '../machine/costs.ts';
import type { ToolCall, ToolResult } from '../records/message.ts';
import { startsFork, type StartPlan } from '../records/plan.ts';
import { childOf } from '../records/run-id.ts';
import { isAhead } from '../records/run.ts';
import { offTreeClock, seconds } from '../records/times.ts';
import { failedResult } from '../tool-contracts/delegation.ts';
import { toChildStep } from './delegate.ts';
import type { Ended, Kind } from './kind.ts';
import { outcomeText } from './outcome.ts';

/** The machine's report where the agent was started before, by an attempt whose acknowledgement was lost. */
const STARTED_BEFORE = 'StepFunctions.ExecutionAlreadyExistsException';

/** Few agents start others beside themselves. */
const loadAhead = () => import('./ahead.ts');

/** An agent beside its caller: an execution of the machine that no other execution waits for. */
export const START = {
  atOnce: () => Infinity,
  startedRun: (plan, { run, turn, call }) => childOf(run, turn, call, plan.agent).id,
  costs: { answered: sum(ITERATION, INVOKE), failed: sum(ITERATION, INVOKE, SUCCEED) },

  async toStep(plan, planned) {
    const { run, turn, call, store, limits, now, paused, isRepeated } = planned;
    const known = isRepeated ? await store.run(childOf(run, turn, call, plan.agent).id) : undefined;
    // Its fate does not matter: continuing a tree continues what is beside its agents, too.
    if (known !== undefined && !isAhead(known)) return undefined;
    const isFork = startsFork(plan);
    // Before a person has approved the call, there is no such agent.
    const isAgent = !isFork && !plan.gate;
    if (isAgent) await (await loadAhead()).writeAhead(plan, planned, offTreeClock(now, paused));
    const { depth, timeout } = limits;
    const place = isFork ? { depth, seconds: seconds(0) } : { depth: depth + 1, seconds: timeout };
    return { kind: 'start', ...toChildStep(plan, { ...planned, ...place }, 1) };
  },

  toResult: (call, plan, ended) => (startsFork(plan) ? forkResult : agentResult)(call, plan, ended),
} satisfies Kind<StartPlan>;

async function forkResult(call: ToolCall, plan: StartPlan, ended: Ended): Promise<ToolResult> {
  const { run: parent, turn, call: number, outcome, store } = ended;
  const place = childOf(parent, turn, number, plan.agent);
  const run = await store.run(place.id);
  if (run === undefined && hasFailed(ended)) {
    const text = `Error: fork failed - ${outcomeText(outcome)}`;
    return { callId: call.id, name: call.name, text, isError: true };
  }
  // Until it has a record, its name tells others that it is being started.
  const name = run?.name ?? (await store.claimName(place, plan.name));
  return toResult(call, { child_uuid: place.id, child_name: name });
}

async function agentResult(call: ToolCall, plan: StartPlan, ended: Ended): Promise<ToolResult> {
  const { run: parent, turn, call: number, outcome, store, now } = ended;
  const { id } = childOf(parent, turn, number, plan.agent);
  const known = await store.run(id);
  if (known !== undefined && !isAhead(known)) return toResult(call, { agent_id: id, name: known.name });
  const { writeAhead, closeAhead } = await loadAhead();
  const written = known ?? (await writeAhead(plan, ended, now));
  const failure = { error: 'AgentError', message: outcomeText(outcome) };
  const run = hasFailed(ended) ? await closeAhead(written, { status: 'failed', failure }, ended) : written;
  if (!isAhead(run) || run.status !== 'failed') return toResult(call, { agent_id: id, name: run.name });
  const { text } = failedResult({ agent: plan.agent, reason: run.failure?.message ?? run.status });
  return { callId: call.id, name: call.name, text, isError: true };
}

function hasFailed({ outcome }: Ended): boolean {
  return outcome?.error !== undefined && outcome.error !== STARTED_BEFORE;
}

function toResult({ id, name }: ToolCall, started: object): ToolResult {
  return { callId: id, name, text: JSON.stringify(started), isError: false };
}
