import type { RunOverview } from '../../../core/reports/run-schemas.ts';
import { elapsed } from '../../../core/reports/words/elapsed.ts';
import { SPAN_WORDS } from '../../../core/reports/words/span-words.ts';
import { duration } from '../shared/figures.ts';
import { useNow } from '../shared/use-now.ts';
import { Swatch } from './span-fills.tsx';
import { spent, timesUntil } from './spans.ts';

const TICK_MS = 1_000;

/** How long a run has worked, and what it has spent its time on. */
export function RunTimes({ run }: { run: RunOverview }) {
  const now = useNow(run.status === 'running', TICK_MS);
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
