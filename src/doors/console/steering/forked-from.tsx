import type { RunOverview } from '../../../core/reports/run-schemas.ts';
import { hrefOf } from '../route.ts';

/** Where a copy continued the conversation of another run, and a link to compare both. */
export function ForkedFrom({ run: { forked_from: from, run_id: id } }: { run: RunOverview }) {
  if (from === undefined) return null;
  const { run_id: selected, root: top, turn } = from;
  return (
    <p>
      Forked from{' '}
      <a href={hrefOf({ view: 'run', top, selected, at: { turn } })}>turn {turn} of another run</a>.{' '}
      <a href={hrefOf({ view: 'compare', left: selected, right: id })}>Compare with its origin</a>
    </p>
  );
}
