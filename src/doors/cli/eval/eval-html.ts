import type {
  CaseReport,
  Comparison,
  EvalReport,
  Try,
  VariantReport,
} from '../../../core/reports/eval-report.ts';
import { moment } from '../terminal/figures.ts';
import { gradeText } from '../../../core/reports/failed-tries.ts';
import { percent } from './eval-text.ts';
import { html } from './html.ts';

/**
 * Evaluations as one page that needs nothing else, and runs no code.
 * @param conversations as HTML, by the runs of tries that failed
 */
export function toHtml(reports: readonly EvalReport[], conversations: ReadonlyMap<string, string>): string {
  const title = reports.map(({ file }) => file).join(', ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${html(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${reports.map((report) => reportHtml(report, conversations)).join('\n')}
</body>
</html>
`;
}

function reportHtml(report: EvalReport, conversations: ReadonlyMap<string, string>): string {
  const { file, agent, env, started_at: at, passed, thresholds, variants, comparisons, cases } = report;
  const where = env === undefined ? '' : `, environment ${html(env)}`;
  const failing = cases.filter((each) => each.passed < each.tries.length);
  const rest = cases.filter((each) => each.passed === each.tries.length);
  const broken = thresholds.filter((each) => !each.passed);
  const isNamed = variants.length > 1;
  return [
    `<main><h1>${html(file)} <span class="${passed ? 'pass' : 'fail'}">${passed ? 'passed' : 'failed'}</span></h1>`,
    `<p>Agent ${html(agent)}${where}, ${html(moment(at))}</p>`,
    broken.length === 0
      ? ''
      : `<ul>${broken.map(({ variant, threshold, wanted, found }) => `<li class="fail">${html(variant)}: ${threshold} is ${found ?? 'not known'}, wanted ${wanted}</li>`).join('')}</ul>`,
    variantsHtml(variants),
    ...variants.flatMap(packsHtml),
    ...comparisons.map(comparisonHtml),
    `<h2>Failed: ${failing.length}</h2>${failing.map((each) => caseHtml(each, isNamed, conversations)).join('')}`,
    `<h2>Passed: ${rest.length}</h2><ul>${rest.map((each) => `<li>${html(each.name)}${isNamed ? ` [${html(each.variant)}]` : ''}${each.tries.every(({ cached }) => cached) ? ' <i>cached</i>' : ''}</li>`).join('')}</ul></main>`,
  ].join('\n');
}

function variantsHtml(variants: readonly VariantReport[]): string {
  const rows = variants.map(
    ({ name, pass, tries, cached, usd, p95_seconds: p95, pass_at: at, pass_hat: hat }) => {
      const cells = [
        html(name),
        `${percent(pass.rate)} (${percent(pass.low)} to ${percent(pass.high)})`,
        at.map((chance) => percent(chance)).join(', '),
        hat.map((chance) => percent(chance)).join(', '),
        `${tries}${cached === 0 ? '' : ` (${cached} cached)`}`,
        usd === null ? 'not known' : `$${Number(usd.toPrecision(3))}`,
        p95 === null ? '' : `${p95.toFixed(1)}s`,
      ];
      return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
    },
  );
  const heads = ['', 'passed (95 %)', 'pass@k', 'pass^k', 'tries', 'cost', '95 % within'];
  return `<table><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr>${rows.join('')}</table>`;
}

function packsHtml({ name, packs = [] }: VariantReport): string[] {
  return packs.map(
    ({ pack, tries, passed }) =>
      `<p>${html(name)}: ${passed} of ${tries} tries passed with ${html(pack)}</p>`,
  );
}

function comparisonHtml({ from, to, difference, low, high, changed }: Comparison): string {
  const points = (value: number) => (value * 100).toFixed(1);
  const rows = changed.map(
    (each) =>
      `<li class="${each.to > each.from ? 'pass' : 'fail'}">${html(each.case)}: ${percent(each.from)} to ${percent(each.to)}</li>`,
  );
  return `<p>${html(to)} against ${html(from)}: ${points(difference)} points (95 % between ${points(low)} and ${points(high)})</p><ul>${rows.join('')}</ul>`;
}

function caseHtml(tested: CaseReport, isNamed: boolean, conversations: ReadonlyMap<string, string>): string {
  const { name, variant, passed, tries } = tested;
  const head = `${html(name)}${isNamed ? ` [${html(variant)}]` : ''} ${passed}/${tries.length}`;
  return `<details><summary class="fail">${head}</summary>${tries
    .filter((one) => !one.passed)
    .map((one) => tryHtml(one, conversations))
    .join('')}</details>`;
}

function tryHtml(
  { repeat, run_id: run, error, grades, cached }: Try,
  conversations: ReadonlyMap<string, string>,
): string {
  const fault = error === undefined ? '' : `<p class="fail">${html(error)}</p>`;
  const graded = grades.map(
    (grade) => `<li class="${grade.passed ? 'pass' : 'fail'}">${html(gradeText(grade))}</li>`,
  );
  return `<h3>Try ${repeat} <code>${html(run)}</code>${cached ? ' <i>cached</i>' : ''}</h3>${fault}<ul>${graded.join('')}</ul><details><summary>Conversation</summary>${conversations.get(run) ?? '<p>It is not kept any more.</p>'}</details>`;
}

const STYLE = `
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse}td,th{text-align:left;padding:.25rem .75rem .25rem 0}
.pass{color:#166638}.fail{color:#ad1f16}
@media(prefers-color-scheme:dark){.pass{color:#66cf88}.fail{color:#ff948a}}
details{margin:.5rem 0 .5rem 1rem}summary{cursor:pointer}
.message{border-left:3px solid #8888;padding-left:.75rem;margin:.75rem 0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0}
`;
