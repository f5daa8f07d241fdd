import type { Json } from '../../json.ts';
import { passedOverText } from '../records/closing-reason.ts';
import { GONE, isIn } from '../records/phase.ts';
import { durationOf, isBeside, type ForkedFrom, type Run, type Usage } from '../records/run.ts';
import { workedOn } from './shown-duration.ts';
import type { ShownRun } from './shown-tree.ts';
import { wayOn } from './way-on.ts';
import type { RunOverview, RunReport, TreeReport } from './run-schemas.ts';
import { defined } from '../../defined.ts';

/** The overview of a run for `--json` and the API, in a list or a tree. */
export function runOverview(run: ShownRun): RunOverview {
  const way = wayOn(run);
  return {
    run_id: run.id,
    agent: run.agent,
    status: run.status,
    model: run.model,
    depth: run.depth,
    ...defined({ version: run.version, pack: run.pack }),
    ...defined({ parent: run.parent, name: run.name, derived_by: run.derivedBy }),
    ...(isBeside(run) && { beside: true as const }),
    ...(run.forkedFrom !== undefined && { forked_from: originOf(run.forkedFrom) }),
    task: run.task,
    ...defined({ tags: run.tags }),
    started_at: run.startedAt,
    ended_at: run.endedAt ?? null,
    duration_ms: workedOn(run),
    ...defined({ times: run.times }),
    turns: run.usage.turns,
    tool_calls: run.usage.toolCalls,
    input_tokens: run.usage.inputTokens,
    output_tokens: run.usage.outputTokens,
    ...toCost([run]),
    failed_calls: run.usage.failedCalls ?? 0,
    retries: run.usage.retries ?? 0,
    ...toError(run),
    ...defined({ incomplete: run.incomplete }),
    ...(isIn(GONE, run) && { killed: true as const }),
    ...(run.status === 'stopped' && defined({ stopped_by: run.stoppedBy })),
    ...defined({ resumed_by: run.resumedBy }),
    ...(way !== 'none' && { way_on: way }),
  };
}

/** The same in a tree, with the sequence of its times. */
export function runInTree(run: ShownRun): RunOverview {
  return { ...runOverview(run), ...defined({ spans: run.spans }) };
}

function originOf({ root, run, turn }: ForkedFrom): NonNullable<RunOverview['forked_from']> {
  return { root, run_id: run, turn };
}

/**
 * The result of a run, on one line.
 * @param tree all runs of the tree, the run's own among them
 * @param output the answer as a value, if it has a schema
 */
export function runReport(
  run: Run,
  content: string,
  tree: readonly Pick<Run, 'usage'>[],
  output?: Json,
): RunReport {
  return {
    model: run.model,
    content,
    ...defined({ output }),
    input_tokens: run.usage.inputTokens,
    output_tokens: run.usage.outputTokens,
    stop_reason: run.stopReason ?? '',
    duration_ms: run.endedAt === undefined ? 0 : durationOf(run, 0),
    tool_calls: run.usage.toolCalls,
    run_id: run.id,
    status: run.status,
    turns: run.usage.turns,
    ...toCost([run]),
    ...toError(run),
    ...defined({ incomplete: run.incomplete }),
    tree: treeReport(tree),
  };
}

/** Why a run has no answer, or only a partial one, or did not continue from it. */
function toError(run: Pick<ShownRun, 'status' | 'failure' | 'exceeded' | 'passedOver'>): { error?: string } {
  const error = run.failure?.message ?? run.exceeded ?? passedOverText(run);
  return error === undefined ? {} : { error };
}

/** Adds up a tree. */
export function treeReport(tree: readonly Pick<Run, 'usage'>[]): TreeReport {
  return {
    runs: tree.length,
    turns: sum(tree, 'turns'),
    tool_calls: sum(tree, 'toolCalls'),
    input_tokens: sum(tree, 'inputTokens'),
    output_tokens: sum(tree, 'outputTokens'),
    ...toCost(tree),
  };
}

/** The cost of runs. */
export function toCost(runs: readonly Pick<Run, 'usage'>[]) {
  const isPriced = runs.every(({ usage }) => usage.turns === 0 || usage.nanoUsd !== undefined);
  return {
    usd: isPriced ? sum(runs, 'nanoUsd') / 1e9 : null,
    cache_read_tokens: sum(runs, 'cacheReadTokens'),
    cache_write_tokens: sum(runs, 'cacheWriteTokens'),
  };
}

function sum(runs: readonly Pick<Run, 'usage'>[], key: keyof Usage): number {
  return runs.reduce((total, { usage }) => total + (usage[key] ?? 0), 0);
}
