import { duration, shortDuration } from '../shared/figures.ts';
import { lengthOf, ownSpans, spanOf, type Stretch } from './spans.ts';
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

/**
 * When each run was at work: dark while it did something itself, light while it waited for runs below it. The tree says
 * the same in words, so that it is hidden from those who have the page read to them.
 */
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
  const { row, y, thickness, now, onSelect } = props;
  const { node } = row;
  const { run } = node;
  const whole = spanOf(node, now);
  const own = ownSpans(node, now);
  const { tone } = lookOf(run);
  const asking = run.waits_for?.find((wait) => wait.for === 'person');
  const at = (span: Stretch, kind: string, key: string | number) => {
    const x = toX(span.from - props.scale.start, props);
    const end = toX(span.to - props.scale.start, props);
    return (
      <rect
        key={key}
        class={kind}
        x={x}
        width={Math.max(LEAST_WIDTH, end - x)}
        y={y}
        height={thickness}
        rx={2}
      />
    );
  };
  const end = toX(whole.to - props.scale.start, props);
  const marks = `${tone === 'bad' ? '✗' : ''}${run.retries > 0 ? '↻' : ''}${run.failed_calls > 0 ? '!' : ''}`;
  return (
    <g class={`bar-of ${tone}`} data-run={run.run_id} onClick={() => onSelect(run.run_id)}>
      <title>
        {`${nameOf(run)}: ${duration(lengthOf([whole]))}, ${duration(lengthOf(own))} of it itself`}
      </title>
      {at(whole, 'waiting', 'whole')}
      {own.map((span, index) => at(span, 'own', index))}
      {asking !== undefined && at({ from: Date.parse(asking.since), to: whole.to }, 'asking', 'asking')}
      {marks !== '' && (
        <text x={end + 4} y={y + thickness - 2}>
          {marks}
        </text>
      )}
    </g>
  );
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
