import { later, treeInstant, seconds, millis } from '../../core/records/times.ts';
import { PARALLEL_CALLS } from '../../core/records/plan.ts';
import { childOf } from '../../core/records/run-id.ts';
import { MAX_TURNS, type TurnOutput } from '../../core/turn/turn.ts';
import { toChildStep } from '../../core/steps/delegate.ts';
import type { DelegateStep } from '../../core/steps/step.ts';
import { previewBytes } from '../../core/steps/waves.ts';
import { MAX_CALLS_PER_TURN } from '../../core/tool-contracts/plan-calls.ts';

/** A task of which as much is shown as is ever shown. */
const LONG_TASK = 'x'.repeat(1_000);

/** The longest patience of an agent, in seconds. */
const LONG_PATIENCE = seconds(604_800);

/** Executions of one run are few; real runs never have this many. */
const LATE_HOLDER = 99;

/** Bytes of the state after a turn of a run at a depth that calls these agents: the largest state that there is. */
export function stateBytes(called: readonly string[], depth: number, needsApproval: boolean): number {
  let run = { id: `${'x'.repeat(24)}-${'0'.repeat(14)}`, path: '' };
  for (let level = 0; level < depth; level++) {
    run = childOf(run, MAX_TURNS, MAX_CALLS_PER_TURN, 'x'.repeat(64));
  }
  const now = treeInstant(Date.UTC(2026, 0));
  const wait = { deadline: Number.MAX_SAFE_INTEGER, timeout: LONG_PATIENCE };
  const steps = called.map((agent, index): DelegateStep => {
    const at = { run, turn: MAX_TURNS, call: index + 1, depth: depth + 1, seconds: seconds(0) };
    const planned = {
      ...at,
      deadline: later(now, millis(1e6)),
      now,
      previewBytes: previewBytes(called.length),
    };
    return {
      ...(needsApproval && { gate: true as const, wait }),
      kind: 'delegate',
      ...toChildStep({ agent, task: LONG_TASK }, planned, LATE_HOLDER),
    };
  });
  const output: TurnOutput = {
    next: 'act',
    run: run.id,
    turn: MAX_TURNS,
    waves: [{ concurrency: PARALLEL_CALLS, steps }],
  };
  return Buffer.byteLength(JSON.stringify(output));
}
