import { useRef } from 'preact/hooks';
import { dayName } from '../shared/figures.ts';
import { useSize } from '../shared/use-size.ts';

export interface DayChartProps {
  /** What it shows, for those who do not see it; the numbers are in a table beside it. */
  label: string;
  /** `2026-01-31` */
  days: readonly string[];
  /** From the bottom up, each with a value for each day. */
  series: readonly { name: string; colour: string; values: readonly number[] }[];
  format: (value: number) => string;
}

const HEIGHT = 72;
/** The day of the first bar, and today, stand below it. */
const AXIS = 16;
const GAP = 3;

/** A bar for each day, in parts. */
export function DayChart({ label, days, series, format }: DayChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const { width } = useSize(box);
  const sums = days.map((_, day) => series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0));
  const most = Math.max(...sums, Number.MIN_VALUE);
  const step = width / days.length;
  return (
    <div ref={box} class="home-chart" style={{ height: `${HEIGHT + AXIS}px` }}>
      <svg width={width} height={HEIGHT + AXIS} role="img" aria-label={label}>
        <line x1={0} x2={width} y1={HEIGHT + 0.5} y2={HEIGHT + 0.5} />
        {width > 0 &&
          days.map((day, index) => {
            let top = HEIGHT;
            const parts = series.flatMap(({ name, colour, values }) => {
              const value = values[index] ?? 0;
              if (value === 0) return [];
              const height = Math.max(1, (value / most) * (HEIGHT - 2));
              top -= height;
              const x = index * step + GAP / 2;
              return (
                <rect
                  key={name}
                  style={{ fill: colour }}
                  x={x}
                  y={top}
                  width={step - GAP}
                  height={height}
                  rx={1}
                />
              );
            });
            return (
              <g key={day}>
                <title>
                  {[`${day}: ${format(sums[index] ?? 0)}`, ...partWords(series, index, format)].join('\n')}
                </title>
                <rect class="home-day" x={index * step} y={0} width={step} height={HEIGHT} />
                {parts}
              </g>
            );
          })}
        <text x={0} y={HEIGHT + AXIS - 3}>
          {dayName(days[0] ?? '')}
        </text>
        <text x={width} y={HEIGHT + AXIS - 3} text-anchor="end">
          today
        </text>
      </svg>
    </div>
  );
}

function partWords(series: DayChartProps['series'], day: number, format: DayChartProps['format']): string[] {
  return series.flatMap(({ name, values }) => {
    const value = values[day] ?? 0;
    return value === 0 ? [] : [`${name}: ${format(value)}`];
  });
}
