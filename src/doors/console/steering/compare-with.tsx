import type { RunList } from '../../api/answers.ts';
import type { RunOverview } from '../../../core/reports/run-schemas.ts';
import { useAnswer } from '../client/use-answer.ts';
import { hrefOf, queryOf } from '../route.ts';
import { Answered } from '../shared/answered.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { visible } from '../shared/visible.ts';
import { stateName } from '../tree/state-words.ts';

/** Chooses the run that another is compared with: one of the newest of its agent, and its own copies first. */
export function CompareWith({ run, onClose }: { run: RunOverview; onClose: () => void }) {
  const answer = useAnswer<RunList>(`runs${queryOf({ agent: run.agent })}`);
  return (
    <Dialog title={`Compare ${run.agent} with`} onClose={onClose}>
      <Answered answer={answer} height={28} lines={3}>
        {({ runs }) => {
          const others = runs.filter(({ run_id: id }) => id !== run.run_id);
          const sorted = others.toSorted(
            (one, other) => Number(isCopy(other, run)) - Number(isCopy(one, run)),
          );
          if (sorted.length === 0) return <p>There is no other run of this agent.</p>;
          return (
            <ul class="compare-with">
              {sorted.map((other) => (
                <li key={other.run_id}>
                  <a
                    href={hrefOf({ view: 'compare', left: run.run_id, right: other.run_id })}
                    onClick={onClose}
                  >
                    {visible(other.task) || other.run_id}
                  </a>{' '}
                  <span class="muted">
                    {stateName(other)}, {new Date(other.started_at).toLocaleString()}
                    {isCopy(other, run) && `, forked from turn ${other.forked_from?.turn}`}
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </Answered>
    </Dialog>
  );
}

function isCopy(other: RunOverview, run: RunOverview): boolean {
  return other.forked_from?.run_id === run.run_id;
}
