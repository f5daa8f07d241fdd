import { reasonsOf } from '../../../core/reports/failed-tries.ts';
import { counted } from '../../../counted.ts';
import type { Comparison, EvalReport, Try, VariantReport } from '../../../core/reports/eval-report.ts';
import type { PlayedTry } from '../../../authoring/eval/report.ts';
import type { Evaluation } from '../../../authoring/eval/read-eval.ts';
import { placeText } from '../terminal/closing-text.ts';
import { inDollars } from '../terminal/figures.ts';
import { oneLine } from '../terminal/printable.ts';

/**
 * Tells each case once all of its tries have ended, with what failed and why.
 * @returns the lines to print about a try that has ended, or ""
 */
export function createCaseLines(
  { repeat }: Pick<Evaluation, 'repeat'>,
  variants: number,
  env: string | undefined,
): (played: PlayedTry) => string {
  const waiting = new Map<string, Try[]>();
  return ({ variant, case: name, try: one }) => {
    const key = JSON.stringify([variant, name]);
    const tries = [...(waiting.get(key) ?? []), one];
    waiting.set(key, tries);
    if (tries.length < repeat) return '';
    waiting.delete(key);
    const passed = tries.filter((each) => each.passed).length;
    const share = repeat === 1 ? '' : ` ${passed}/${repeat}`;
    const cached = tries.every((each) => each.cached) ? '  cached' : '';
    const isEmpty = tries.every((each) => each.passed && each.grades.length === 0);
    const who = variants === 1 ? '' : `  [${oneLine(variant)}]`;
    const seconds = tries.reduce((sum, each) => sum + each.seconds, 0) / tries.length;
    const head = `${passed === repeat ? 'pass' : 'FAIL'}${share}  ${oneLine(name)}${who}  ${seconds.toFixed(1)}s${cached}${isEmpty ? '  expects nothing' : ''}\n`;
    return (
      head +
      faultsIn(tries, env)
        .map((line) => `      ${line}\n`)
        .join('')
    );
  };
}

/** Why tries failed, each reason once, with the run of the first that has it. */
function faultsIn(tries: readonly Try[], env: string | undefined): string[] {
  const faults = new Map<string, string>();
  for (const one of tries) {
    for (const reason of reasonsOf(one)) if (!faults.has(reason)) faults.set(reason, one.run_id);
  }
  return [...faults].map(([reason, run]) => `${oneLine(reason)} (cadre show ${run}${placeText({ env })})`);
}

export function summaryText(report: EvalReport): string {
  const lines = [
    '',
    ...report.variants.map((variant) => variantLine(variant, report.variants.length > 1)),
    ...report.variants.flatMap(repeatLine),
    ...report.variants.flatMap(packLines),
    ...report.comparisons.flatMap(comparisonLines),
    ...report.thresholds
      .filter(({ passed }) => !passed)
      .map(({ variant, threshold, wanted, found }) => {
        const side = threshold === 'pass' ? 'at least' : 'at most';
        const whose = report.variants.length > 1 ? ` of ${variant}` : '';
        return `below its threshold: ${threshold}${whose} is ${found === null ? 'not known' : rounded(found)}, wanted is ${side} ${wanted}`;
      }),
  ];
  return lines.map((line) => `${oneLine(line)}\n`).join('');
}

function variantLine(
  { name, cases, tries, cached, pass, usd, p95_seconds: p95 }: VariantReport,
  isNamed: boolean,
): string {
  const parts = [
    `${percent(pass.rate)} passed (95 % between ${percent(pass.low)} and ${percent(pass.high)})`,
    counted(cases, 'case'),
    ...(tries === cases ? [] : [counted(tries, 'try').replace('trys', 'tries')]),
    ...(cached === 0 ? [] : [`${cached} cached`]),
    ...(usd === null ? ['price not known'] : usd === 0 ? [] : [inDollars(usd)]),
    ...(p95 === null ? [] : [`95 % within ${p95.toFixed(1)}s`]),
  ];
  return `${isNamed ? `${name}: ` : ''}${parts.join(', ')}`;
}

function repeatLine({ name, pass_at: at, pass_hat: hat }: VariantReport): string[] {
  const k = at.length;
  if (k < 2) return [];
  return [`${name}: pass@${k} ${percent(at[k - 1] ?? 0)}, pass^${k} ${percent(hat[k - 1] ?? 0)}`];
}

function packLines({ name, packs = [] }: VariantReport): string[] {
  return packs.map(({ pack, tries, passed }) => `${name}: ${passed} of ${tries} tries passed with ${pack}`);
}

function comparisonLines({ from, to, difference, low, high, changed }: Comparison): string[] {
  const verdict = low > 0 ? 'better' : high < 0 ? 'worse' : 'no certain difference';
  const points = (value: number) => `${value < 0 ? '-' : '+'}${(Math.abs(value) * 100).toFixed(1)}`;
  return [
    `${to} against ${from}: ${points(difference)} points (95 % between ${points(low)} and ${points(high)}), ${verdict}`,
    ...changed.map(
      (each) =>
        `  ${each.to > each.from ? 'fixed' : 'broken'}: ${each.case} (${percent(each.from)} to ${percent(each.to)})`,
    ),
  ];
}

export function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(3)));
}
