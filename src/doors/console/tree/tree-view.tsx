import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useNow } from '../shared/use-now.ts';
import { useSize } from '../shared/use-size.ts';
import { useTreeKeys } from './tree-keys.ts';
import { rowId, TreeRow } from './tree-row.tsx';
import type { TreeNode, TreeStore } from './tree-store.ts';
import type { TreeCursor } from './use-cursor.ts';
import { SpanLegend } from './span-fills.tsx';
import { timeScale } from './time-scale.ts';
import { LIVE_MS } from './times.tsx';
import { visibleRows } from './visible-rows.ts';
import { TimeMarks, Waterfall } from './waterfall.tsx';
import './tree.css';

export interface TreeViewProps {
  tree: TreeStore;
  root: TreeNode;
  /** The run that is shown in place, by id. */
  selected: string;
  onSelect: (id: string) => void;
  cursor: TreeCursor;
  /** Runs that a search has found, by id; undefined where nothing is searched. */
  found: ReadonlySet<string> | undefined;
}

/** Where agents and times stand side by side, and where the times move below each agent, in pixels. */
const WIDE = 640;
const WITH_FIGURES = 650;
const ROW = { wide: 46, stacked: 58 };
/** Pixels that a mark on the time line takes. */
const MARK = 90;
/** Rows that are there above and below those that are seen, so that scrolling shows no gaps. */
const SPARE = 6;

/** A tree as lines, with the times of each on the right. Only lines in sight are in the document. */
export function TreeView({ tree, root, selected, onSelect, cursor, found }: TreeViewProps) {
  const list = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(list);
  const [scrolled, setScrolled] = useState(0);
  const now = useNow(root.totals.atWork > 0, LIVE_MS);
  const { folded, active } = cursor;
  const rows = useMemo(() => visibleRows(root, folded), [root, folded, tree.shape]);
  const isStacked = width < WIDE;
  const rowHeight = isStacked ? ROW.stacked : ROW.wide;
  const at = rows.findIndex(({ node }) => node.run.run_id === active);
  const onKeyDown = useTreeKeys({ rows, at, page: Math.floor(height / rowHeight), cursor, onSelect });
  useKeptInSight(list, at, rowHeight);

  const first = Math.max(0, Math.floor(scrolled / rowHeight) - SPARE);
  const shown = rows.slice(first, Math.ceil((scrolled + height) / rowHeight) + SPARE);
  // The focused element stays in the document, wherever it is.
  const activeRow = rows[at];
  const listed = shown.map((row, index) => ({ row, line: first + index }));
  if (activeRow !== undefined && !shown.includes(activeRow)) listed.push({ row: activeRow, line: at });
  const left = isStacked ? 0 : Math.round(width * (width < WITH_FIGURES ? 0.52 : 0.7));
  const end = root.totals.atWork > 0 ? now : Math.max(tree.lastEnd, Date.parse(root.run.started_at));
  const scale = timeScale(Date.parse(root.run.started_at), end, (width - left) / MARK);
  const layout = isStacked ? 'stacked' : width < WITH_FIGURES ? 'wide' : 'wide with-figures';
  return (
    <div class={`tree ${layout}`}>
      <div class="heads" aria-hidden="true">
        <div class="cells" style={{ width: isStacked ? '100%' : `${left}px` }}>
          <span>Agent</span>
          <span class="figure">Tokens</span>
          <span class="figure">Cost</span>
          <span class="figure time">Time</span>
        </div>
        {!isStacked && <TimeMarks scale={scale} width={width - left} />}
      </div>
      <div
        class="rows"
        ref={list}
        role="tree"
        aria-label="Agents of this run"
        tabIndex={0}
        {...(activeRow && { 'aria-activedescendant': rowId(activeRow.node.run.run_id) })}
        onKeyDown={onKeyDown}
        onScroll={({ currentTarget }) => setScrolled(currentTarget.scrollTop)}
      >
        <div role="none" style={{ height: `${rows.length * rowHeight}px` }} />
        {listed.map(({ row, line }) => (
          <TreeRow
            key={row.node.run.run_id}
            row={row}
            top={line * rowHeight}
            width={isStacked ? width : left}
            now={now}
            isActive={row === activeRow}
            isSelected={row.node.run.run_id === selected}
            isFolded={folded.has(row.node.run.run_id)}
            isFound={found?.has(row.node.run.run_id)}
            onToggle={cursor.toggle}
            onSelect={onSelect}
          />
        ))}
        {width > 0 && (
          <Waterfall
            rows={shown}
            top={first * rowHeight}
            rowHeight={rowHeight}
            left={left}
            width={width - left}
            isStacked={isStacked}
            scale={scale}
            now={now}
            onSelect={onSelect}
          />
        )}
      </div>
      <SpanLegend />
    </div>
  );
}

/** Scrolls as far as it takes to see the line that has become the active one. */
function useKeptInSight(list: { current: HTMLElement | null }, at: number, rowHeight: number): void {
  useLayoutEffect(() => {
    const { current } = list;
    if (current === null || at < 0) return;
    const top = at * rowHeight;
    if (top < current.scrollTop) current.scrollTop = top;
    else if (top + rowHeight > current.scrollTop + current.clientHeight) {
      current.scrollTop = top + rowHeight - current.clientHeight;
    }
  }, [at, rowHeight]);
}
