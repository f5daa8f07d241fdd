import type { RunResource } from '../../api/answers.ts';
import { elapsed } from '../../../core/reports/words/elapsed.ts';
import { hrefOf } from '../route.ts';
import { counted, dollars, duration, tokenCount } from '../shared/figures.ts';
import { RelativeTime } from '../shared/relative-time.tsx';
import { lookOf, stateName } from '../tree/state-words.ts';
import { visible } from '../shared/visible.ts';

export interface RunItemProps {
  run: RunResource;
  now: number;
  /** Whether it is picked to be compared. */
  isPicked: boolean;
  onPick: () => void;
}

/** A run in the list: what it is, how it is doing, and what it used with everything below it. */
export function RunItem({ run, now, isPicked, onPick }: RunItemProps) {
  const { run_id: id, agent, task, error, started_at: startedAt, tree } = run;
  const { tone, symbol } = lookOf(run);
  const took = elapsed(run, now);
  return (
    <li>
      <label class="runs-pick">
        <input type="checkbox" checked={isPicked} onChange={onPick} />
        <span class="spoken">Pick this run of {agent} to compare it</span>
      </label>
      <a data-line href={hrefOf({ view: 'run', top: id, selected: id })}>
        <span class={`symbol ${tone}`} aria-hidden="true">
          {symbol}
        </span>
        <span class="what">
          <strong>{agent}</strong>{' '}
          <span class={tone === 'work' ? 'muted' : tone}>
            {error !== undefined && `${visible(error)} · `}
            {stateName(run)}
          </span>
          <span class="task">{visible(task)}</span>
        </span>
        <span class="figures muted">
          <RelativeTime at={startedAt} now={now} />
          <span>{duration(took)}</span>
          <span>{counted(tree.runs, 'agent')}</span>
          <span>{tokenCount(tree.input_tokens + tree.output_tokens)}</span>
          <span>{tree.usd === null ? 'cost not known' : dollars(tree.usd)}</span>
        </span>
      </a>
    </li>
  );
}
