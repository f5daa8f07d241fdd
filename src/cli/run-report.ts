import type { Run, Usage } from '../conversation/run.ts';

/** What `--json` prints of a run, on one line. The first seven keys are axe's. */
export interface RunReport {
  model: string;
  content: string;
  /** Of the run's own turns, as are `output_tokens` and `tool_calls`. */
  input_tokens: number;
  output_tokens: number;
  stop_reason: string;
  duration_ms: number;
  tool_calls: number;
  run_id: string;
  status: Run['status'];
  turns: number;
  /** Why the run did not succeed. */
  error?: string;
  /** The run with everything below it. */
  tree: TreeReport;
}

export interface TreeReport {
  runs: number;
  turns: number;
  tool_calls: number;
  input_tokens: number;
  output_tokens: number;
  /** What it cost; null where a price is not known. */
  usd: number | null;
}

/** @param tree all runs of the tree, the run's own among them */
export function runReport(run: Run, content: string, tree: readonly Run[]): RunReport {
  return {
    model: run.model,
    content,
    input_tokens: run.usage.inputTokens,
    output_tokens: run.usage.outputTokens,
    stop_reason: run.stopReason ?? '',
    duration_ms: run.endedAt === undefined ? 0 : Date.parse(run.endedAt) - Date.parse(run.startedAt),
    tool_calls: run.usage.toolCalls,
    run_id: run.id,
    status: run.status,
    turns: run.usage.turns,
    ...(run.failure !== undefined && { error: run.failure.message }),
    tree: treeReport(tree),
  };
}

/** Adds up a tree. */
export function treeReport(tree: readonly Pick<Run, 'usage'>[]): TreeReport {
  const sum = (key: keyof Usage) => tree.reduce((total, { usage }) => total + usage[key], 0);
  return {
    runs: tree.length,
    turns: sum('turns'),
    tool_calls: sum('toolCalls'),
    input_tokens: sum('inputTokens'),
    output_tokens: sum('outputTokens'),
    usd: null,
  };
}
