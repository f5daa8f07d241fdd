import { Answered } from '../shared/answered.tsx';
import { useTitle } from '../shared/use-title.ts';
import { queryOf, type RunFilter } from '../route.ts';
import { Empty } from '../shared/empty.tsx';
import { useNow } from '../shared/use-now.ts';
import { FilterBar } from './filter-bar.tsx';
import { RunFilters } from './run-filters.tsx';
import { PickedRuns, usePicked } from './picked-runs.tsx';
import { RunItem } from './run-item.tsx';
import { useRuns } from './use-runs.ts';
import './runs.css';

/** Times that have gone by are shown to the minute. */
const TICK_MS = 10_000;

/** The runs that there are, newest first. */
export function RunsView({ filter }: { filter: RunFilter }) {
  const { runs, isOld, wanted, problem, again, more, isReading } = useRuns(filter);
  const now = useNow(true, TICK_MS);
  useTitle('Runs');
  const { picked, toggle } = usePicked();
  return (
    <div class="runs">
      <h1>Runs</h1>
      <RunFilters filter={filter} />
      <FilterBar filter={filter} />
      <Answered answer={{ data: runs, problem, again }} height={52} lines={8}>
        {(listed) =>
          listed.length > 0 ? (
            <ol class={isOld ? 'runs-list old' : 'runs-list'} aria-busy={isOld}>
              {listed.map((run) => (
                <RunItem
                  key={run.run_id}
                  run={run}
                  now={now}
                  wanted={wanted}
                  isPicked={picked.includes(run.run_id)}
                  onPick={() => toggle(run.run_id)}
                />
              ))}
            </ol>
          ) : (
            !isOld && <Empty>{whyEmpty(more !== undefined, queryOf(filter) !== '')}</Empty>
          )
        }
      </Answered>
      <PickedRuns picked={picked} listed={runs?.map(({ run_id: id }) => id) ?? []} />
      {more !== undefined && (
        <button type="button" aria-disabled={isReading} onClick={more}>
          Show older runs
        </button>
      )}
    </div>
  );
}

function whyEmpty(areOlder: boolean, isNarrowed: boolean): string {
  if (areOlder) return 'There is no such run among the newest ones.';
  return isNarrowed ? 'There is no such run.' : 'There is no run yet. Start one with the button above.';
}
