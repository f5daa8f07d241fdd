import { ConfigError } from '../../../errors.ts';
import { defined } from '../../../defined.ts';
import type { Tags } from '../../../core/records/tags.ts';
import { termsOf } from '../../../terms.ts';
import { foundText } from '../../../core/reports/found-text.ts';
import type { FoundWords, RunOverview, TreeReport } from '../../../core/reports/run-schemas.ts';
import { RunStatus } from '../../../core/reports/run-status.ts';
import { runOverview, treeReport } from '../../../core/reports/run-report.ts';
import { elapsed } from '../../../core/reports/words/elapsed.ts';
import { PHASES } from '../../../core/reports/words/phase-words.ts';
import { newestTrees } from '../../../core/reports/newest-trees.ts';
import type { Environment } from '../../../places/environment.ts';
import { placeText } from '../terminal/closing-text.ts';
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
  /** All of them. */
  tag?: Tags;
  /** Of agents, by its name or its folder. */
  pack?: string;
  /** Words, all of which occur in the tree. */
  text?: string;
  /** Milliseconds since 1970. */
  since?: number;
}

/**
 * `cadre runs`: lists runs, the newest first, each with the total of everything below it.
 * @returns the exit code
 * @throws {ConfigError} for a status that no run can have
 */
export async function listRuns(
  { records, name: env }: Environment,
  options: RunsOptions,
  io: Io,
): Promise<number> {
  const status = RunStatus.options.find((each) => each === options.status);
  if (status === undefined && options.status !== undefined) {
    throw new ConfigError(`unknown status "${options.status}": it can be ${RunStatus.options.join(', ')}`);
  }
  const { agent, limit, since, tag: tags, pack, text } = options;
  const terms = text === undefined ? [] : termsOf(text);
  if (text !== undefined && terms.length === 0)
    throw new ConfigError(`--text ${JSON.stringify(text)} has no word to look for`);
  const trees = await newestTrees(records, { agent, limit, since, tags, pack, text, status });
  const rows = await Promise.all(
    trees.map(async ({ top, tree, found }): Promise<Row> => {
      const text = found === undefined ? undefined : await foundText(found, terms, records);
      return { ...runOverview(top), tree: treeReport(tree), ...defined({ found: text }) };
    }),
  );
  if (options.json) {
    io.stdout(`${jsonLine(rows)}\n`);
    return EXIT.success;
  }
  if (rows.length === 0) {
    const isNarrowed = [agent, status, since, tags, pack, text].some((option) => option !== undefined);
    const where = env === undefined ? 'this folder' : `environment "${env}"`;
    io.stderr(
      isNarrowed
        ? `no such runs in ${where}\n`
        : `no runs in ${where} yet; start one with: cadre run <agent>${placeText({ env })}\n`,
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
      ...(rows.some(({ pack }) => pack !== undefined)
        ? [{ cells: cells(({ pack = '' }) => oneLine(pack)), rank: 7 }]
        : []),
    ],
    io.columns,
  );
  for (const [index, line] of lines.entries()) {
    const { found } = rows[index] ?? {};
    io.stdout(`${line}\n`);
    if (found !== undefined) io.stdout(`    ${foundLine(found)}\n`);
  }
  return EXIT.success;
}

type Row = RunOverview & { tree: TreeReport; found?: FoundWords };

function foundLine({ run_id: run, turn, text }: FoundWords): string {
  return oneLine(`${run}${turn === undefined ? '' : ` t${turn}`}: ${text}`);
}
