import { runOverview, treeReport } from '../../reports/run-report.ts';
import { shownTree, type KeptRuns } from '../../reports/shown-tree.ts';
import { EXIT } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { oneLine } from '../terminal/printable.ts';
import { count, longest, moment, seconds } from '../terminal/tree-text.ts';

export interface RunsOptions {
  json: boolean;
  limit: number;
}

/** `cadre runs`: the newest first, with everything below each added up. @returns the exit code */
export async function listRuns(kept: KeptRuns | undefined, options: RunsOptions, io: Io): Promise<number> {
  const rows = kept === undefined ? [] : await newest(kept, options.limit);
  if (options.json) {
    io.stdout(`${JSON.stringify(rows)}\n`);
    return EXIT.success;
  }
  if (rows.length === 0) io.stderr('no runs here yet; start one with: cadre run <agent>\n');
  const width = longest(rows.map(({ run_id }) => run_id));
  const agentWidth = longest(rows.map(({ agent }) => oneLine(agent)));
  for (const { run_id, agent, status, started_at, duration_ms, tree } of rows) {
    const columns = [
      run_id.padEnd(width),
      oneLine(agent).padEnd(agentWidth),
      status.padEnd(11),
      moment(started_at),
      (duration_ms === null ? '' : seconds(duration_ms)).padStart(8),
      `${count(tree.input_tokens)} in, ${count(tree.output_tokens)} out`,
    ];
    io.stdout(`${columns.join('  ')}\n`);
  }
  return EXIT.success;
}

async function newest(kept: KeptRuns, limit: number) {
  const rows = [];
  for await (const run of kept.runs.roots(limit)) {
    const tree = await shownTree(run, kept);
    const top = tree.find(({ id }) => id === run.id);
    if (top !== undefined) rows.push({ ...runOverview(top), tree: treeReport(tree) });
  }
  return rows;
}
