import type { AgentResource } from '../../api/answers.ts';
import { calledBy } from './calls.ts';
import { layered } from './layers.ts';

export const HEIGHT = 46;
const ROW = 62;
/** Room for lines between columns. */
const BETWEEN = 90;
const MARGIN = 24;
/** Names are never cut: an agent is as wide as the longest name of its column. */
const CHARACTER = 8.2;
const PADDING = 26;

/** Where an agent is drawn, in pixels from the left and the top; all are equally high. */
export interface Box {
  x: number;
  y: number;
  width: number;
}

/** Where the agents are drawn, and how large a plane they take. */
export function boxesOf(agents: readonly AgentResource[]): {
  boxes: Map<string, Box>;
  width: number;
  height: number;
} {
  const places = layered(agents.map((agent) => ({ name: agent.name, calls: calledBy(agent) })));
  const widths: number[] = [];
  const rows: number[] = [];
  for (const [name, { column, row }] of places) {
    widths[column] = Math.max(widths[column] ?? 0, 130, name.length * CHARACTER + PADDING);
    rows[column] = Math.max(rows[column] ?? 0, row + 1);
  }
  const most = Math.max(1, ...rows);
  const lefts = widths.map((_, column) =>
    widths.slice(0, column).reduce((sum, width) => sum + width + BETWEEN, MARGIN),
  );
  const boxes = new Map<string, Box>();
  for (const [name, { column, row }] of places) {
    const above = ((most - (rows[column] ?? 0)) * ROW) / 2;
    boxes.set(name, {
      x: lefts[column] ?? 0,
      y: MARGIN + above + row * ROW,
      width: widths[column] ?? 0,
    });
  }
  const width = widths.reduce((sum, each) => sum + each + BETWEEN, 2 * MARGIN - BETWEEN);
  return { boxes, width, height: most * ROW + 2 * MARGIN };
}

/** To the right from side to side; within a column, around on its right; back, around below both. */
export function wayBetween(from: Box, to: Box, isBack: boolean): string {
  if (!isBack) {
    const [x1, y1, x2, y2] = [from.x + from.width, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
    const bend = Math.max(30, (x2 - x1) / 2);
    return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  }
  if (from.x === to.x) {
    const [x, y1, y2] = [from.x + from.width, from.y + HEIGHT / 2, to.y + HEIGHT / 2];
    return `M${x} ${y1}C${x + BETWEEN / 2} ${y1} ${x + BETWEEN / 2} ${y2} ${x} ${y2}`;
  }
  const [x1, y1, x2, y2] = [from.x + from.width / 2, from.y + HEIGHT, to.x + to.width / 2, to.y + HEIGHT];
  const low = Math.max(y1, y2) + 34;
  return `M${x1} ${y1}C${x1} ${low} ${x2} ${low} ${x2} ${y2}`;
}
