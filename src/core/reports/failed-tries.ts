import type { EvalReport, FailedTry, Grade, Try } from './eval-report.ts';

/** Why a try failed, in words; none if it passed. */
export function reasonsOf({ passed, error, grades }: Try): string[] {
  if (passed) return [];
  if (error !== undefined) return [error];
  return grades.filter((each) => !each.passed).map(gradeText);
}

/** `contains "volume 7": the answer does not: …` */
export function gradeText({ grader, score, reason }: Grade): string {
  return `${grader}${score === undefined ? '' : `, score ${score}`}${reason === undefined ? '' : `: ${reason}`}`;
}

/** More of an evaluation is not listed. */
const MOST = 100;

/** The first tries that failed. */
export function failedTries({ cases }: Pick<EvalReport, 'cases'>): FailedTry[] {
  const failed: FailedTry[] = [];
  for (const { name, variant, tries } of cases) {
    for (const one of tries) {
      if (failed.length === MOST) return failed;
      if (!one.passed) failed.push({ case: name, variant, run_id: one.run_id, reasons: reasonsOf(one) });
    }
  }
  return failed;
}
