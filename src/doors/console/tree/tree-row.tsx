import { counted } from '../../../counted.ts';
import { elapsed } from '../../../core/reports/words/elapsed.ts';
import { dollars, shortCount, shortDuration } from '../shared/figures.ts';
import { ownTime, timesText, timesUntil } from './spans.ts';
import { RunSymbol } from './run-symbol.tsx';
import { lookOf, nameOf, shortStateWords, stateWords, troubleWords } from './state-words.ts';
import { costOf, tokensOf } from './totals.ts';
import type { Row } from './visible-rows.ts';
import { DeadlineOf } from '../steering/deadline.tsx';
import { visible } from '../shared/visible.ts';

export interface TreeRowProps {
  row: Row;
  /** Its place in the list, and how wide it is, in pixels. */
  top: number;
  width: number;
  now: number;
  isActive: boolean;
  isSelected: boolean;
  isFolded: boolean;
  /** Whether a search has found it; undefined where nothing is searched. */
  isFound: boolean | undefined;
  onToggle: (id: string) => void;
  onSelect: (id: string) => void;
}

/** The element's id. */
export function rowId(run: string): string {
  return `row-${run}`;
}

/** A run in the tree, on one line: what it is, what it does, and what it took, alone and with everything below it. */
export function TreeRow(props: TreeRowProps) {
  const { row, top, width, now, isActive, isSelected, isFolded, isFound, onToggle, onSelect } = props;
  const { node, level, position } = row;
  const { run, totals, children, parent } = node;
  const { tone } = lookOf(run);
  const words = shortStateWords(node);
  const trouble = troubleWords(run);
  const about = visible(run.error ?? run.task);
  const hasBelow = children.length > 0;
  const time = shortDuration(elapsed(run, now));
  const own = hasBelow ? shortDuration(ownTime(run, now)) : time;
  const times = isActive ? timesUntil(run, now) : undefined;
  const tokens = run.input_tokens + run.output_tokens;
  const cost = costOf(totals);
  const spoken = [
    `${counted(tokens, 'token')}${hasBelow ? `, ${counted(tokensOf(totals), 'token')} with those below` : ''}`,
    cost === null ? 'cost not known' : dollars(cost),
    time,
    ...(times === undefined ? [] : [timesText(times)]),
  ];
  return (
    <div
      id={rowId(run.run_id)}
      role="treeitem"
      class={`row ${isActive ? 'active' : ''} ${isFound === undefined ? '' : isFound ? 'found' : 'faint'}`}
      aria-level={level + 1}
      aria-posinset={position}
      aria-setsize={parent?.children.length ?? 1}
      aria-selected={isSelected}
      {...(hasBelow && { 'aria-expanded': !isFolded })}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => onSelect(run.run_id)}
    >
      <div class="cells" style={{ width: `${width}px` }}>
        <span class="agent" style={{ paddingLeft: `${Math.min(level, 12) * 0.9}rem` }}>
          <span class="line">
            <span
              class="twisty"
              aria-hidden="true"
              onClick={(event) => {
                if (!hasBelow) return;
                event.stopPropagation();
                onToggle(run.run_id);
              }}
            >
              {hasBelow ? (isFolded ? '▸' : '▾') : ''}
            </span>
            <RunSymbol run={run} />
            <strong>{nameOf(run)}</strong>{' '}
            {hasBelow && isFolded && <span class="muted">+{totals.runs - 1} </span>}
            {trouble !== '' && <span class="attention">{trouble}</span>}
          </span>{' '}
          <span class="line note" title={`${stateWords(node)}\n${about}`}>
            {run.error !== undefined && tone === 'bad' ? (
              <>
                <span class="bad">{about}</span> <span>· {words}</span>
              </>
            ) : (
              <>
                <span class={tone === 'work' ? 'muted' : tone}>{words}</span>
                <DeadlineOf run={run} /> <bdi>{about}</bdi>
              </>
            )}
          </span>
        </span>
        <span class="spoken">{spoken.join(', ')}</span>
        <Figure own={shortCount(tokens)} total={hasBelow ? shortCount(tokensOf(totals)) : undefined} />
        <Figure own={dollars(run.usd)} total={hasBelow ? dollars(cost) : undefined} />
        <Figure own={own} total={hasBelow ? time : undefined} class="time" />
      </div>
    </div>
  );
}

/** Of the run with everything below it and, under it, of the run alone. */
function Figure({
  own,
  total,
  class: more = '',
}: {
  own: string;
  total: string | undefined;
  class?: string;
}) {
  return (
    <span class={`figure ${more}`} aria-hidden="true">
      <span>{total ?? own}</span>
      <small class="muted">{total === undefined ? '' : `own ${own}`}</small>
    </span>
  );
}
