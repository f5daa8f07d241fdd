import type { RunOverview } from '../../../core/reports/run-schemas.ts';
import { elapsed } from '../../../core/reports/words/elapsed.ts';
import { SPAN_WORDS } from '../../../core/reports/words/span-words.ts';
import { duration } from '../shared/figures.ts';
import { useNow } from '../shared/use-now.ts';
import { Swatch } from './span-fills.tsx';
import { spent, timesUntil } from './spans.ts';

/** How often times of what goes on are shown anew, in milliseconds: in the tree and beside it alike. */
export const LIVE_MS = 500;

/** How long a run has worked, and what it has spent its time on. */
export function RunTimes({ run }: { run: RunOverview }) {
  const now = useNow(run.status === 'running', LIVE_MS);
  const times = timesUntil(run, now);
  return (
    <>
      {duration(elapsed(run, now))}
      {times !== undefined && (
        <ul class="tree-times">
          {spent(times).map(([kind, milliseconds]) => (
            <li key={kind}>
              <Swatch kind={kind} /> {SPAN_WORDS[kind]} {duration(milliseconds)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
