import { counted } from '../../../counted.ts';
import { elapsed } from '../../../core/reports/words/elapsed.ts';
import type { RunResource } from '../../api/answers.ts';
import { atTop, hrefOf } from '../route.ts';
import { dollars, shortDuration, tokenCount } from '../shared/figures.ts';
import { RelativeTime } from '../shared/relative-time.tsx';
import { visible } from '../shared/visible.ts';
import { lookOf, stateName } from '../tree/state-words.ts';

/** As a run that waits for a person looks everywhere. */
const ASKING = { tone: 'attention', symbol: '●' };

export interface RunLineProps {
  run: RunResource;
  /** Milliseconds since 1970. */
  now: number;
  /** Whether an agent of its tree waits for a person. */
  isAsking?: boolean;
  /** Whether it says which agent it is of. */
  hasAgent?: boolean;
}

/** A run on a line: what it is and does, and what it has taken so far. */
export function RunLine({ run, now, isAsking = false, hasAgent = true }: RunLineProps) {
  const { run_id: id, agent, task, error, started_at: startedAt, tree } = run;
  const { tone, symbol } = isAsking ? ASKING : lookOf(run);
  const took = elapsed(run, now);
  return (
    <li>
      <a class={hasAgent ? 'run-line' : 'run-line unnamed'} data-line href={hrefOf(atTop(id))}>
        <span class={`symbol ${tone}`} aria-hidden="true">
          {symbol}
        </span>
        {hasAgent && <strong>{agent}</strong>}
        <span class="run-line-task muted cut">
          {visible(error ?? (task === '' ? 'without a task' : task))}
        </span>
        <span class="run-line-figures">
          <span class="spoken">{isAsking ? 'waits for a person' : stateName(run)}, </span>
          <span>{shortDuration(took)}</span>
          {tree.runs > 1 && <span>{counted(tree.runs, 'agent')}</span>}
          <span>{tokenCount(tree.input_tokens + tree.output_tokens)}</span>
          {tree.usd !== null && <span>{dollars(tree.usd)}</span>}
          <RelativeTime at={startedAt} now={now} />
        </span>
      </a>
    </li>
  );
}
