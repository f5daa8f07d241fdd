import { defined } from '../../defined.ts';
import type {
  CaseReport,
  Comparison,
  EvalReport,
  ThresholdReport,
  Try,
  VariantReport,
} from '../../core/reports/eval-report.ts';
import type { Evaluation } from './read-eval.ts';
import { differenceInterval, mean, passAt, passHat, quantile, rateInterval } from './statistics.ts';
import type { Variant } from './variant.ts';

/** A case that was played once with a variant. */
export interface PlayedTry {
  variant: string;
  case: string;
  try: Try;
}

interface Head {
  id: string;
  startedAt: string;
  endedAt: string;
  env: string | undefined;
}

/** @param played in the order of the cases */
export function toReport(
  { id, startedAt, endedAt, env }: Head,
  evaluation: Pick<Evaluation, 'agent' | 'file' | 'thresholds'>,
  variants: readonly Pick<Variant, 'agent' | 'model' | 'name'>[],
  played: readonly PlayedTry[],
): EvalReport {
  const byCase = new Map<string, CaseReport>();
  for (const { variant, case: name, try: one } of played) {
    const key = JSON.stringify([variant, name]);
    const known = byCase.get(key) ?? { name, variant, passed: 0, tries: [] };
    byCase.set(key, known);
    known.tries.push(one);
    if (one.passed) known.passed += 1;
  }
  const cases = [...byCase.values()];
  const casesOf = (variant: string) => cases.filter((each) => each.variant === variant);
  const reports = variants.map((variant) => variantReport(variant, casesOf(variant.name)));
  const [first, ...others] = reports;
  // Where two revisions are compared, the newer one is what the thresholds are for.
  const held = reports.filter(({ name }) => name === CURRENT);
  const thresholds = (held.length > 0 ? held : reports).flatMap((each) =>
    thresholdsOf(each, evaluation.thresholds),
  );
  return {
    id,
    file: evaluation.file,
    agent: evaluation.agent,
    ...defined({ env }),
    started_at: startedAt,
    ended_at: endedAt,
    passed: thresholds.every(({ passed }) => passed),
    thresholds,
    variants: reports,
    comparisons:
      first === undefined
        ? []
        : others.map((other) => compare(first.name, other.name, casesOf(first.name), casesOf(other.name))),
    cases,
  };
}

/** The variant that is the project as it is now. */
export const CURRENT = 'current';

function variantReport(
  { name, agent, model }: Pick<Variant, 'agent' | 'model' | 'name'>,
  cases: readonly CaseReport[],
): VariantReport {
  const tries = cases.flatMap((each) => each.tries);
  const rates = cases.map(rateOf);
  const most = Math.min(...cases.map((each) => each.tries.length), tries.length);
  const forEachK = (chance: typeof passAt) =>
    Array.from({ length: most }, (_, index) =>
      mean(cases.map((each) => chance(index + 1, each.tries.length, each.passed))),
    );
  const isPriced = tries.every(({ usd }) => usd !== null);
  const usd = isPriced ? tries.reduce((sum, each) => sum + (each.usd ?? 0), 0) : null;
  const seconds = tries.map((each) => each.seconds);
  return {
    name,
    agent,
    ...defined({ model }),
    versions: [...new Set(tries.flatMap(({ version }) => version ?? []))],
    ...packsOf(tries),
    cases: cases.length,
    tries: tries.length,
    cached: tries.filter(({ cached }) => cached).length,
    pass: { rate: mean(rates), ...rateInterval(rates) },
    pass_at: forEachK(passAt),
    pass_hat: forEachK(passHat),
    usd,
    usd_per_try: usd === null || tries.length === 0 ? null : usd / tries.length,
    p50_seconds: quantile(seconds, 0.5),
    p95_seconds: quantile(seconds, 0.95),
  };
}

/** Which pack a try took was chance, so that one evaluation tells how each does. */
function packsOf(tries: readonly Try[]): Pick<VariantReport, 'packs'> {
  const names = [...new Set(tries.flatMap(({ pack }) => pack ?? []))].sort();
  if (names.length === 0) return {};
  const packs = names.map((pack) => {
    const own = tries.filter((one) => one.pack === pack);
    return { pack, tries: own.length, passed: own.filter(({ passed }) => passed).length };
  });
  return { packs };
}

function rateOf({ passed, tries }: CaseReport): number {
  return tries.length === 0 ? 0 : passed / tries.length;
}

function thresholdsOf(variant: VariantReport, wanted: Evaluation['thresholds']): ThresholdReport[] {
  const found = { pass: variant.pass.rate, usd: variant.usd_per_try, p95_seconds: variant.p95_seconds };
  return (['pass', 'usd', 'p95_seconds'] as const).flatMap((threshold) => {
    const limit = wanted[threshold];
    if (limit === undefined) return [];
    const value = found[threshold];
    // The mean of many shares may be a hair below the one that it is.
    const holds = value !== null && (threshold === 'pass' ? value >= limit - 1e-9 : value <= limit);
    return [{ variant: variant.name, threshold, wanted: limit, found: value, passed: holds }];
  });
}

function compare(
  from: string,
  to: string,
  before: readonly CaseReport[],
  after: readonly CaseReport[],
): Comparison {
  const later = new Map(after.map((each) => [each.name, rateOf(each)]));
  const pairs = before.flatMap((each) => {
    const rate = later.get(each.name);
    return rate === undefined ? [] : [{ case: each.name, from: rateOf(each), to: rate }];
  });
  const interval = differenceInterval(
    pairs.map((each) => each.from),
    pairs.map((each) => each.to),
  );
  return { from, to, ...interval, changed: pairs.filter((each) => each.from !== each.to) };
}
