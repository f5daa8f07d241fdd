import { ConfigError } from '../../../errors.ts';
import type { RunOverview, TreeReport } from '../../../core/reports/run-schemas.ts';
import { RunStatus } from '../../../core/reports/run-status.ts';
import { runOverview, treeReport } from '../../../core/reports/run-report.ts';
import { elapsed } from '../../../core/reports/words/elapsed.ts';
import { PHASES } from '../../../core/reports/words/phase-words.ts';
import { newestTrees } from '../../../core/reports/newest-trees.ts';
import type { Environment } from '../../../places/environment.ts';
import { inColumns } from '../terminal/columns.ts';
import { EXIT } from '../terminal/exit-code.ts';
import { count } from '../../../counted.ts';
import { inDollars, moment, seconds } from '../terminal/figures.ts';
import type { Io } from '../terminal/io.ts';
import { jsonLine, oneLine } from '../terminal/printable.ts';

export interface RunsOptions {
  json: boolean;
  /** How many at most, of those that the others ask for. */
  limit: number;
  agent?: string;
  status?: string;
}

/**
 * `cadre runs`: the newest first, with everything below each added up.
 * @returns the exit code
 * @throws {ConfigError} for a status that no run can have
 */
export async function listRuns({ records }: Environment, options: RunsOptions, io: Io): Promise<number> {
  const status = RunStatus.options.find((each) => each === options.status);
  if (status === undefined && options.status !== undefined) {
    throw new ConfigError(`unknown status "${options.status}": it can be ${RunStatus.options.join(', ')}`);
  }
  const trees = await newestTrees(records, { ...options, status });
  const rows: Row[] = trees.map(({ top, tree }) => ({ ...runOverview(top), tree: treeReport(tree) }));
  if (options.json) {
    io.stdout(`${jsonLine(rows)}\n`);
    return EXIT.success;
  }
  if (rows.length === 0) {
    const isNarrowed = options.agent !== undefined || options.status !== undefined;
    io.stderr(
      isNarrowed
        ? 'no such runs in this folder\n'
        : 'no runs in this folder yet; start one with: cadre run <agent>\n',
    );
  }
  const now = Date.now();
  const cells = (cell: (row: Row) => string) => rows.map(cell);
  const lines = inColumns(
    [
      { cells: cells(({ run_id }) => run_id) },
      { cells: cells(({ agent }) => oneLine(agent)), rank: 6 },
      { cells: cells(({ status, killed }) => PHASES[killed ? 'killed' : status].word), rank: 1 },
      { cells: cells(({ started_at }) => moment(started_at)), rank: 2 },
      {
        cells: cells((row) => seconds(elapsed(row, now))),
        align: 'right',
        rank: 4,
      },
      {
        cells: cells(({ tree }) => `${count(tree.input_tokens)} in, ${count(tree.output_tokens)} out`),
        rank: 5,
      },
      { cells: cells(({ tree }) => (tree.usd ? inDollars(tree.usd) : '')), align: 'right', rank: 3 },
    ],
    io.columns,
  );
  for (const line of lines) io.stdout(`${line}\n`);
  return EXIT.success;
}

type Row = RunOverview & { tree: TreeReport };
