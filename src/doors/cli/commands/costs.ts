import { count, counted } from '../../../counted.ts';
import { dayAt } from '../../../core/records/spent.ts';
import type { AskedCosts, CostRow } from '../../../core/reports/cost-report.ts';
import { dayLimitsOf } from '../../../core/records/day-limits.ts';
import { readDayLimits } from '../../../core/reports/read-day-limits.ts';
import { readCosts } from '../../../core/reports/read-costs.ts';
import type { Environment } from '../../../places/environment.ts';
import { inColumns } from '../terminal/columns.ts';
import { EXIT } from '../terminal/exit-code.ts';
import { inDollars } from '../terminal/figures.ts';
import type { Io } from '../terminal/io.ts';
import { jsonLine, oneLine } from '../terminal/printable.ts';

export interface CostsOptions {
  by: AskedCosts;
  /** Milliseconds since 1970. */
  since: number;
  json?: boolean;
  csv?: boolean;
}

/** `cadre costs`: what runs have cost, by day, agent or more. @returns the exit code */
export async function listCosts(environment: Environment, options: CostsOptions, io: Io): Promise<number> {
  const { records } = environment;
  const { by, json = false, csv = false } = options;
  const since = dayAt(options.since);
  const days = { since, until: dayAt(Date.now()) };
  const { rows } = await readCosts(records, by, { days, isWhole: true });
  if (json) io.stdout(`${jsonLine(rows)}\n`);
  else if (csv) io.stdout(toCsv(by, rows));
  else if (rows.length === 0) io.stderr(`nothing was spent since ${since}\n`);
  else io.stdout(`${toTable(by, rows, io.columns).join('\n')}\n`);
  if (!json && !csv) {
    await tellLimits(environment, io);
    await tellBatches(environment, options.since, io);
  }
  return EXIT.success;
}

/** How much of the limits per day of the place is gone. */
async function tellLimits({ records, perDay }: Environment, io: Io): Promise<void> {
  const limits = dayLimitsOf({ agent: '' }, await perDay());
  for (const { key, limit_usd, used_usd } of await readDayLimits(limits, records, Date.now())) {
    const percent = Math.floor((100 * used_usd) / limit_usd);
    io.stderr(
      `today (UTC): ${inDollars(used_usd)} of ${key} = ${inDollars(limit_usd)} spent or held by agents at work (${percent} per cent)\n`,
    );
  }
}

/** What the agents that were asked in batches would have cost otherwise. */
async function tellBatches({ records }: Environment, since: number, io: Io): Promise<void> {
  const [{ compareServices }, { localConfig }, { createPrices }, { comparison }] = await Promise.all([
    import('../../../core/reports/compared-services.ts'),
    import('../../../authoring/loading/local-sources.ts'),
    import('../../../core/spending/prices.ts'),
    import('../terminal/batches-text.ts'),
  ]);
  const prices = createPrices((await localConfig(io)).prices);
  const { agents } = await compareServices(records, { since }, prices);
  for (const compared of agents.filter(({ batched }) => batched > 0)) io.stderr(`${comparison(compared)}\n`);
}

function keysOf(by: AskedCosts): string[] {
  return 'tag' in by ? [`tag:${by.tag}`] : [...by.by];
}

function cell(row: CostRow, key: string): string {
  const value: unknown = Object.entries(row).find(([name]) => name === key)?.[1];
  return typeof value === 'string' ? value : '';
}

function toTable(by: AskedCosts, rows: readonly CostRow[], width: number | undefined): string[] {
  const unpriced = rows.reduce((sum, row) => sum + (row.unpriced ?? 0), 0);
  const lines = inColumns(
    [
      ...keysOf(by).map((key) => ({ cells: rows.map((row) => oneLine(cell(row, key)) || '-') })),
      { cells: rows.map(({ runs }) => counted(runs, 'run')), align: 'right' as const, rank: 2 },
      { cells: rows.map(({ tokens }) => `${count(tokens)} tokens`), align: 'right' as const, rank: 1 },
      { cells: rows.map(({ usd }) => inDollars(usd)), align: 'right' as const },
    ],
    width,
  );
  return unpriced === 0
    ? lines
    : [...lines, `without ${counted(unpriced, 'run')} whose model has no known price`];
}

/** As RFC 4180 has it. A spreadsheet takes a text that begins like a formula for one, unless a quote precedes it. */
function toCsv(by: AskedCosts, rows: readonly CostRow[]): string {
  const keys = keysOf(by);
  const figures = ['runs', 'trees', 'succeeded', 'failed', 'tokens', 'usd', 'unpriced'] as const;
  const quoted = (text: string) => {
    const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const lines = rows.map((row) => [
    ...keys.map((key) => quoted(cell(row, key))),
    ...figures.map((figure) => String(row[figure] ?? 0)),
  ]);
  return [[...keys.map(quoted), ...figures], ...lines].map((line) => `${line.join(',')}\r\n`).join('');
}
