import { elapsed } from '../../../core/reports/words/elapsed.ts';
import { duration, shortDuration } from '../shared/figures.ts';
import { fillOf, heightOf } from './span-fills.tsx';
import { stretchesOf, timesText, timesUntil, type Stretch } from './spans.ts';
import { lookOf, nameOf } from './state-words.ts';
import type { TimeScale } from './time-scale.ts';
import type { Row } from './visible-rows.ts';

export interface WaterfallProps {
  /** The lines in sight. */
  rows: readonly Row[];
  /** Where the first of them is in the list, in pixels. */
  top: number;
  rowHeight: number;
  /** Where the times begin, and how wide they are, in pixels. */
  left: number;
  width: number;
  /** Whether bars are below the text, and not beside it. */
  isStacked: boolean;
  scale: TimeScale;
  now: number;
  onSelect: (id: string) => void;
}

/** Narrower bars could not be hit. */
const LEAST_WIDTH = 3;
/** Room at the right end for the marks there. */
const END = 22;

/** How each run spent its time, as a bar. The tree says the same in words, so this is hidden from screen readers. */
export function Waterfall(props: WaterfallProps) {
  const { rows, top, rowHeight, left, width, isStacked, scale } = props;
  const height = rows.length * rowHeight;
  return (
    <svg
      class="waterfall"
      aria-hidden="true"
      width={width}
      height={height}
      style={{ transform: `translate(${left}px, ${top}px)` }}
    >
      {!isStacked &&
        scale.marks.map((mark) => (
          <line key={mark} class="mark" x1={toX(mark, props)} x2={toX(mark, props)} y1={0} y2={height} />
        ))}
      {rows.map((row, index) => (
        <Bar
          key={row.node.run.run_id}
          {...props}
          row={row}
          y={index * rowHeight + (isStacked ? rowHeight - 13 : 15)}
          thickness={isStacked ? 7 : rowHeight - 30}
        />
      ))}
    </svg>
  );
}

function Bar(props: WaterfallProps & { row: Row; y: number; thickness: number }) {
  const { row, y, thickness, now, scale, onSelect } = props;
  const { run } = row.node;
  const stretches = stretchesOf(run, Math.min(now, scale.start + scale.length));
  const times = timesUntil(run, now);
  const end = toX((stretches.at(-1)?.to ?? scale.start) - scale.start, props);
  const { tone } = lookOf(run);
  const marks = `${tone === 'bad' ? '✗' : ''}${run.retries > 0 ? '↻' : ''}${run.failed_calls > 0 ? '!' : ''}`;
  return (
    <g class={`bar-of ${tone}`} data-run={run.run_id} onClick={() => onSelect(run.run_id)}>
      <title>
        {`${nameOf(run)}: ${duration(elapsed(run, now))}${times === undefined ? '' : `\n${timesText(times)}`}`}
      </title>
      {[...shapes(stretches, y, thickness, props)].map(([kind, d]) => (
        <path key={kind} class={`span-${kind}`} {...fillOf(kind)} d={d} />
      ))}
      {marks !== '' && (
        <text x={end + 4} y={y + thickness - 2}>
          {marks}
        </text>
      )}
    </g>
  );
}

/** One path for all stretches of a kind: a tree in sight has thousands of stretches. */
function shapes(stretches: readonly Stretch[], y: number, thickness: number, props: WaterfallProps) {
  const paths = new Map<Stretch['kind'], string>();
  for (const { kind, from, to } of stretches) {
    const x = toX(from - props.scale.start, props);
    const width = Math.max(stretches.length === 1 ? LEAST_WIDTH : 1, toX(to - props.scale.start, props) - x);
    const height = Math.max(2, Math.round(thickness * heightOf(kind)));
    const top = y + (thickness - height) / 2;
    paths.set(
      kind,
      `${paths.get(kind) ?? ''}M${x},${top}h${width.toFixed(1)}v${height}h-${width.toFixed(1)}z`,
    );
  }
  return paths;
}

/** The marks of the time line, above the bars. */
export function TimeMarks({ scale, width }: { scale: TimeScale; width: number }) {
  return (
    <svg class="marks" width={width} height={20}>
      {scale.marks.map((mark) => (
        <text key={mark} x={toX(mark, { scale, width }) - 4} y={14} text-anchor="end">
          {shortDuration(mark)}
        </text>
      ))}
    </svg>
  );
}

/** @param time milliseconds from the start */
function toX(time: number, { scale, width }: Pick<WaterfallProps, 'scale' | 'width'>): number {
  return Math.round((time / scale.length) * Math.max(0, width - END) * 10) / 10;
}
