import { childRunId } from '../runs/run-id.ts';
import type { Plan } from '../runs/plan.ts';
import { toSteps } from '../conversation/step.ts';
import { MAX_TURNS, type TurnOutput } from '../conversation/turn.ts';
import { MAX_CALLS_PER_TURN } from '../tools/registry.ts';

/** A task of which as much is shown as is ever shown. */
const LONG_TASK = 'x'.repeat(1_000);

/** Bytes of the state after a turn of a run at a depth that calls these agents: the largest state that there is. */
export function stateBytes(called: readonly string[], depth: number): number {
  let run = `${'x'.repeat(24)}-${'0'.repeat(14)}`;
  for (let level = 0; level < depth; level++) {
    run = childRunId(run, MAX_TURNS, MAX_CALLS_PER_TURN, 'x'.repeat(64));
  }
  const now = Date.UTC(2026, 0);
  const plans = called.map((agent): Plan => ({ kind: 'delegate', agent, task: LONG_TASK, context: '' }));
  const limits = { subAgents: [], depth, maxDepth: depth, parallel: true, timeout: 0 };
  const turn = {
    number: MAX_TURNS,
    results: [],
    answer: { text: '', calls: [], stopReason: 'other' as const, rawStopReason: '', usage: NO_TOKENS },
    plans,
    at: '',
    latencyMs: 0,
  };
  const steps = toSteps(run, turn, limits, now + 1e6, now);
  const output: TurnOutput = { next: 'act', run, turn: MAX_TURNS, steps };
  return Buffer.byteLength(JSON.stringify(output));
}

const NO_TOKENS = { inputTokens: 0, outputTokens: 0 };
