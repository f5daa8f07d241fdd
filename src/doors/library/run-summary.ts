import { closingReason } from '../../core/records/closing-reason.ts';
import { treeReport } from '../../core/reports/run-report.ts';
import type { ShownRun } from '../../core/reports/shown-tree.ts';
import { shownDuration } from '../../core/reports/shown-duration.ts';

/** The use of a run, or of a whole tree. */
export interface RunUsage {
  turns: number;
  toolCalls: number;
  /** Including those that were read from a provider's cache or written to one. */
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  /** Dollars; null if a price is not known. */
  usd: number | null;
}

/** The recorded facts about a run. */
export interface RunSummary {
  id: string;
  agent: string;
  /** `provider/model-name`; "" if the agent could not be loaded. */
  model: string;
  /** `interrupted`: it has not ended, and has no carrier any more. */
  status: ShownRun['status'];
  /** ISO 8601, UTC. */
  startedAt: string;
  /** Until now, if it has not ended. */
  durationMs: number;
  /** The model's own word for why its last answer ended; "" if there is none. */
  stopReason: string;
  /** Why there is no answer, or only a part of one; "" if it is whole. */
  reason: string;
  /** Of the run alone. */
  usage: RunUsage;
  /** Of the run and everything below it. */
  tree: RunUsage & { runs: number };
}

/**
 * @param tree all runs of the tree, the run's own among them
 * @param now milliseconds since 1970
 */
export function summarise(run: ShownRun, tree: readonly ShownRun[], now: number): RunSummary {
  const { id, agent, model, status, startedAt, stopReason = '' } = run;
  const { runs: _, ...usage } = usageOf([run]);
  return {
    id,
    agent,
    model,
    status,
    startedAt,
    durationMs: shownDuration(run, now),
    stopReason,
    reason: closingReason(run),
    usage,
    tree: usageOf(tree),
  };
}

function usageOf(runs: readonly ShownRun[]): RunSummary['tree'] {
  const sum = treeReport(runs);
  return {
    runs: sum.runs,
    turns: sum.turns,
    toolCalls: sum.tool_calls,
    inputTokens: sum.input_tokens,
    outputTokens: sum.output_tokens,
    cacheReadTokens: sum.cache_read_tokens,
    cacheWriteTokens: sum.cache_write_tokens,
    usd: sum.usd,
  };
}
