import { AgentError } from '../errors.ts';
import type { ToolCall, ToolResult } from '../runs/message.ts';
import { delegateResult, doneResult, type Outcome } from './outcome.ts';
import type { DelegatePlan } from '../runs/plan.ts';
import type { RunStore } from '../runs/ports.ts';
import { childRunId } from '../runs/run-id.ts';
import { resultOf, type Turn } from '../runs/run.ts';

interface Asked {
  run: string;
  outcomes: readonly Outcome[];
  /** Seconds that a child was given, where its own record does not say. */
  timeout: number;
}

/** The results of a turn's calls, in call order whatever order they finished in. */
export async function toResults(turn: Turn, asked: Asked, store: RunStore): Promise<ToolResult[]> {
  return Promise.all(
    turn.answer.calls.map(async (call, index) => {
      const plan = turn.plans[index];
      if (plan === undefined) throw new AgentError(`turn ${turn.number} of "${asked.run}" lost a plan`);
      if (plan.kind === 'done') return doneResult(call, plan);
      return childResult(call, plan, turn.number, index + 1, asked, store);
    }),
  );
}

async function childResult(
  call: ToolCall,
  plan: DelegatePlan,
  turn: number,
  number: number,
  asked: Asked,
  store: RunStore,
): Promise<ToolResult> {
  const id = childRunId(asked.run, turn, number, plan.agent);
  const run = await store.run(id);
  const ended = run?.status === 'succeeded' || run?.status === 'budget_exceeded';
  return delegateResult(call, plan, {
    run,
    text:
      run !== undefined && ended
        ? resultOf(run, await lastTurns(run.status, id, run.usage.turns, store))
        : undefined,
    outcome: asked.outcomes.find((outcome) => outcome.call === number),
    timeout: run?.timeout ?? asked.timeout,
  });
}

/** An answer is in the last turn; what a budget left may be in any. */
async function lastTurns(status: string, id: string, count: number, store: RunStore): Promise<Turn[]> {
  if (status !== 'succeeded') return store.turns(id);
  const last = await store.turn(id, count);
  return last === undefined ? [] : [last];
}
