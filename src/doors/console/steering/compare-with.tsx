import { useEffect, useState } from 'preact/hooks';
import type { RunList } from '../../api/answers.ts';
import type { RunOverview } from '../../../core/reports/run-schemas.ts';
import { get } from '../client/api.ts';
import { hrefOf, queryOf } from '../route.ts';
import { Dialog } from '../shared/dialog.tsx';
import { ProblemText } from '../shared/problem-text.tsx';
import { useAction } from '../shared/use-action.ts';
import { visible } from '../shared/visible.ts';
import { stateName } from '../tree/state-words.ts';

/** Chooses the run that another is compared with: one of the newest of its agent, and its own copies first. */
export function CompareWith({ run, onClose }: { run: RunOverview; onClose: () => void }) {
  const [list, setList] = useState<RunList['runs']>();
  const reading = useAction(async () => {
    const { runs } = await get<RunList>(`runs${queryOf({ agent: run.agent })}`);
    const others = runs.filter(({ run_id: id }) => id !== run.run_id);
    setList(others.toSorted((one, other) => Number(isCopy(other, run)) - Number(isCopy(one, run))));
  });
  useEffect(() => reading.run(), []);
  return (
    <Dialog title={`Compare ${run.agent} with`} onClose={onClose}>
      <ProblemText text={reading.error} />
      {list?.length === 0 && <p>There is no other run of this agent.</p>}
      <ul class="compare-with">
        {list?.map((other) => (
          <li key={other.run_id}>
            <a href={hrefOf({ view: 'compare', left: run.run_id, right: other.run_id })} onClick={onClose}>
              {visible(other.task) || other.run_id}
            </a>{' '}
            <span class="muted">
              {stateName(other)}, {new Date(other.started_at).toLocaleString()}
              {isCopy(other, run) && `, forked from turn ${other.forked_from?.turn}`}
            </span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function isCopy(other: RunOverview, run: RunOverview): boolean {
  return other.forked_from?.run_id === run.run_id;
}
