import type { CaseReport, EvalReport } from '../../../core/reports/eval-report.ts';
import { gradeText, reasonsOf } from '../../../core/reports/failed-tries.ts';

/** Evaluations as JUnit's XML, which CI servers read: a suite for each variant, a case for each case. */
export function toJunit(reports: readonly EvalReport[]): string {
  const suites = reports.flatMap((report) =>
    report.variants.map(({ name }) =>
      suiteText(
        report,
        name,
        report.cases.filter(({ variant }) => variant === name),
      ),
    ),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`;
}

function suiteText(
  { file, agent, started_at: at, variants }: EvalReport,
  variant: string,
  cases: readonly CaseReport[],
): string {
  const suite = variants.length === 1 ? file : `${file} (${variant})`;
  const failures = cases.filter((each) => each.passed < each.tries.length && !isError(each)).length;
  const errors = cases.filter(isError).length;
  const seconds = cases.reduce((sum, each) => sum + secondsOf(each), 0);
  const counts = `tests="${cases.length}" failures="${failures}" errors="${errors}" time="${seconds.toFixed(3)}"`;
  const head = `  <testsuite name="${xml(suite)}" timestamp="${at.slice(0, 19)}" ${counts}>\n`;
  return `${head}${cases.map((each) => caseText(each, agent)).join('')}  </testsuite>\n`;
}

function caseText(tested: CaseReport, agent: string): string {
  const head = `    <testcase classname="${xml(agent)}" name="${xml(tested.name)}" time="${secondsOf(tested).toFixed(3)}"`;
  if (tested.passed === tested.tries.length) return `${head}/>\n`;
  const failed = tested.tries.filter(({ passed }) => !passed);
  const [first] = failed;
  const graders = [
    ...new Set(
      failed.flatMap(({ grades }) => grades.filter(({ passed }) => !passed).map(({ grader }) => grader)),
    ),
  ];
  const tag = isError(tested) ? 'error' : 'failure';
  const message = first === undefined ? '' : (reasonsOf(first)[0] ?? '');
  const text = failed.map(
    (one) =>
      `try ${one.repeat}, run ${one.run_id}\n${[...reasonsOf(one), ...(one.error === undefined ? [] : one.grades.map(gradeText))].join('\n')}`,
  );
  return `${head}>\n      <${tag} type="${xml(graders.join(', ') || 'run')}" message="${xml(message)}">${xml(text.join('\n\n'))}</${tag}>\n    </testcase>\n`;
}

/** Whether a case failed because nothing could be graded, and not because of its grades. */
function isError({ tries }: CaseReport): boolean {
  const failed = tries.filter(({ passed }) => !passed);
  return failed.length > 0 && failed.every(({ error }) => error !== undefined);
}

function secondsOf({ tries }: CaseReport): number {
  return tries.reduce((sum, each) => sum + each.seconds, 0);
}

/** Characters that XML 1.0 cannot hold, in no form, are replaced. */
function xml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\u{fffd}')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
