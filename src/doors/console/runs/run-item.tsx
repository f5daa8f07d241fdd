import { counted } from '../../../counted.ts';
import { elapsed } from '../../../core/reports/words/elapsed.ts';
import type { ListedRun } from '../../api/answers.ts';
import { atTop, hrefOf } from '../route.ts';
import { dollars, duration, tokenCount } from '../shared/figures.ts';
import { RelativeTime } from '../shared/relative-time.tsx';
import { visible } from '../shared/visible.ts';
import { RunSymbol } from '../tree/run-symbol.tsx';
import { lookOf, stateName } from '../tree/state-words.ts';
import { MarkedText } from './marked-text.tsx';

interface RunItemProps {
  run: ListedRun;
  now: number;
  /** The words that were looked for, as they were typed. */
  wanted: string;
  /** Whether it is picked to be compared. */
  isPicked: boolean;
  onPick: () => void;
}

/** A run in the list: what it is, how it is doing, and what it used with everything below it. */
export function RunItem({ run, now, wanted, isPicked, onPick }: RunItemProps) {
  const { run_id: id, agent, task, error, started_at: startedAt, tree, tags = {}, pack } = run;
  const { tone } = lookOf(run);
  const took = elapsed(run, now);
  return (
    <li>
      <label class="runs-pick">
        <input type="checkbox" checked={isPicked} onChange={onPick} />
        <span class="spoken">Pick this run of {agent} to compare it</span>
      </label>
      <a class="runs-line" data-line href={hrefOf(atTop(id))}>
        <RunSymbol run={run} />
        <span class="runs-what">
          <strong>{agent}</strong>{' '}
          <span class={tone === 'work' ? 'muted' : tone}>
            {error !== undefined && (
              <>
                <MarkedText text={error} wanted={wanted} /> ·{' '}
              </>
            )}
            {stateName(run)}
          </span>{' '}
          {Object.entries(tags).map(([key, value]) => (
            <span key={key} class="runs-tagged">
              {visible(`${key}=${value}`)}
            </span>
          ))}
          {pack !== undefined && <span class="runs-tagged">{visible(pack)}</span>}
          <span class="runs-task muted cut">
            <MarkedText text={task} wanted={wanted} />
          </span>
        </span>
        <span class="runs-figures muted">
          <RelativeTime at={startedAt} now={now} />
          <span>{duration(took)}</span>
          <span>{counted(tree.runs, 'agent')}</span>
          <span>{tokenCount(tree.input_tokens + tree.output_tokens)}</span>
          <span>{tree.usd === null ? 'cost not known' : dollars(tree.usd)}</span>
        </span>
      </a>
      <Found run={run} wanted={wanted} />
    </li>
  );
}

/** Where the words are, with a way there, unless the line above says it all. */
function Found({ run, wanted }: Pick<RunItemProps, 'run' | 'wanted'>) {
  const { run_id: top, found, task, error } = run;
  if (found === undefined || [task, error].includes(found.text)) return null;
  const { run_id: selected, turn, text } = found;
  const at = turn === undefined ? {} : { at: { turn } };
  return (
    <a class="runs-found" href={hrefOf({ view: 'run', top, selected, ...at })}>
      {turn !== undefined && <span class="muted">turn {turn} </span>}
      <MarkedText text={text} wanted={wanted} />
    </a>
  );
}
