import { counted } from '../../../counted.ts';
import type { EvalList } from '../../api/answers.ts';
import { useAnswer } from '../client/use-answer.ts';
import { atTop, hrefOf } from '../route.ts';
import { Answered } from '../shared/answered.tsx';
import { Empty } from '../shared/empty.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { useNow } from '../shared/use-now.ts';
import { useTitle } from '../shared/use-title.ts';
import { visible } from '../shared/visible.ts';

type Evaluation = EvalList['evals'][number];

const TICK_MS = 10_000;

/** The newest evaluations of the folder: how each went, and the runs of what failed. */
export function EvalsView() {
  const answer = useAnswer<EvalList>('evals');
  const now = useNow(true, TICK_MS);
  useTitle('Evaluations');
  return (
    <div>
      <h1>Evaluations</h1>
      <Answered answer={answer} height={120} lines={3}>
        {({ evals }) =>
          evals.length === 0 ? (
            <Empty>
              What <code>cadre eval</code> has played in this folder is listed here.
            </Empty>
          ) : (
            evals.map((each) => <EvaluationCard key={each.id} evaluation={each} now={now} />)
          )
        }
      </Answered>
    </div>
  );
}

function EvaluationCard({ evaluation, now }: { evaluation: Evaluation; now: number }) {
  const { file, agent, env, ended_at: at, passed, variants, comparisons, thresholds, failed } = evaluation;
  const isNamed = variants.length > 1;
  return (
    <section class="card">
      <div class="head">
        <h2>{visible(file)}</h2>
        <span class="badge">{passed ? 'passed' : 'failed'}</span>
        <span class="muted">
          {visible(agent)}
          {env !== undefined && `, ${env}`} <RelativeTime at={at} now={now} />
        </span>
      </div>
      <ul>
        {variants.map(({ name, pass, tries, cached }) => (
          <li key={name}>
            {isNamed && `${visible(name)}: `}
            {percent(pass.rate)} of {counted(tries, 'run')} passed, 95 % between {percent(pass.low)} and{' '}
            {percent(pass.high)}
            {cached > 0 && `, ${cached} cached`}
          </li>
        ))}
        {comparisons.map(({ from, to, difference, changed }) => (
          <li key={`${from} ${to}`}>
            {visible(to)} against {visible(from)}: {(difference * 100).toFixed(1)} points,{' '}
            {counted(changed.length, 'case')} changed
          </li>
        ))}
        {thresholds
          .filter((each) => !each.passed)
          .map(({ variant, threshold, wanted }) => (
            <li key={`${variant} ${threshold}`}>
              {isNamed && `${visible(variant)}: `}
              {threshold} misses its threshold of {wanted}
            </li>
          ))}
      </ul>
      {failed.length > 0 && (
        <details>
          <summary>What failed</summary>
          <ul>
            {failed.map(({ case: name, variant, run_id: run, reasons }) => (
              <li key={run}>
                <a href={hrefOf(atTop(run))}>{visible(name)}</a>
                {isNamed && ` (${visible(variant)})`}: {visible(reasons.join('; '))}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}
