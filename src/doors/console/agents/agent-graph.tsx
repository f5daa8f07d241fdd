import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { AgentResource } from '../../api/answers.ts';
import { hrefOf } from '../route.ts';
import { useSize } from '../shared/use-size.ts';
import { layered } from './layers.ts';
import { calledBy, copyingTools, levelsBelow } from './calls.ts';
import { fitting, moved, opening, useView, zoomed } from './use-view.ts';

const HEIGHT = 46;
const ROW = 62;
/** Room for lines between columns. */
const BETWEEN = 90;
const MARGIN = 24;
/** Names are never cut: an agent is as wide as the longest name of its column. */
const CHARACTER = 8.2;
const PADDING = 26;
const STEP = 60;

interface Box {
  x: number;
  y: number;
  width: number;
}

export interface AgentGraphProps {
  agents: readonly AgentResource[];
  /** The one that the rest is shown around; absent: all are shown. */
  top: AgentResource | undefined;
  isMeant: (agent: AgentResource) => boolean;
}

/** Who may call whom, from left to right. The list beside it says the same. */
export function AgentGraph({ agents, top, isMeant }: AgentGraphProps) {
  const frame = useRef<HTMLDivElement>(null);
  const size = useSize(frame);
  const { boxes, width, height } = useMemo(() => boxesOf(agents), [agents]);
  const levels = useMemo(() => top && levelsBelow(top.name, agents), [agents, top]);
  const { view, setView, isDragged, dragging } = useView();
  const [near, setNear] = useState<string>();
  const fit = () => setView(fitting({ width, height }, size));
  useEffect(() => setView(opening({ width, height }, size)), [width, height, size.width, size.height]);
  const middle = { x: size.width / 2, y: size.height / 2 };
  const zoom = (factor: number, at = middle) => setView((now) => zoomed(now, factor, at));
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    // Only with a key held, so that the page still scrolls; browsers pass wheels on to passive listeners otherwise.
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { left, top: above } = current.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY / 400), { x: event.clientX - left, y: event.clientY - above });
    };
    current.addEventListener('wheel', onWheel, { passive: false });
    return () => current.removeEventListener('wheel', onWheel);
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const act = KEYS[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (act === 'fit') fit();
    else if (typeof act === 'number') zoom(act);
    else setView((now) => moved(now, ...act));
  };
  const maxDepth = top?.sub_agents_config.max_depth ?? Infinity;
  const isNear = (from: string, to: string) => near === undefined || near === from || near === to;
  const neighbours = new Set(
    agents.flatMap((agent) =>
      calledBy(agent).flatMap((to) => (isNear(agent.name, to) ? [agent.name, to] : [])),
    ),
  );
  return (
    <div class="agents-graph">
      <div class="agents-graph-tools row-of-actions">
        <button type="button" aria-label="Zoom in" onClick={() => zoom(1.25)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => zoom(0.8)}>
          −
        </button>
        <button type="button" onClick={fit}>
          Fit
        </button>
        <span class="muted">
          <span class="agents-key" aria-hidden="true" /> call_agent · <span aria-hidden="true">⟲</span> copies
          of itself · dashed: back to one before it
        </span>
      </div>
      <div
        ref={frame}
        class={`agents-canvas${isDragged ? ' dragged' : ''}`}
        role="group"
        aria-label="Graph of who may call whom: arrow keys move it, + and − zoom, 0 fits it"
        tabIndex={0}
        onKeyDown={onKeyDown}
        {...dragging}
      >
        <div
          class="agents-plane"
          style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})` }}
        >
          <svg width={width} height={height} aria-hidden="true">
            <defs>
              <marker
                id="agents-end"
                viewBox="0 0 8 8"
                refX="8"
                refY="4"
                markerWidth="8"
                markerHeight="8"
                orient="auto"
              >
                <path d="M0 0 8 4 0 8Z" />
              </marker>
            </defs>
            {agents.flatMap((agent) =>
              calledBy(agent).flatMap((to) => {
                const [from, end] = [boxes.get(agent.name), boxes.get(to)];
                if (from === undefined || end === undefined) return [];
                const isBack = end.x <= from.x;
                const look = near === undefined ? '' : isNear(agent.name, to) ? ' near' : ' far';
                return (
                  <path
                    key={`${agent.name} ${to}`}
                    class={`agents-edge${isBack ? ' back' : ''}${look}`}
                    d={wayBetween(from, end, isBack)}
                    marker-end="url(#agents-end)"
                  />
                );
              }),
            )}
          </svg>
          {agents.map((agent) => {
            const box = boxes.get(agent.name);
            const level = levels?.get(agent.name);
            const isTooDeep = level !== undefined && level > maxDepth;
            const isFar = near !== undefined && near !== agent.name && !neighbours.has(agent.name);
            const look = `${isTooDeep ? ' too-deep' : ''}${isFar || !isMeant(agent) ? ' far' : ''}`;
            return (
              <a
                key={agent.name}
                class={`agents-node${agent === top ? ' top' : ''}${look}`}
                href={hrefOf({ view: 'agent', name: agent.name })}
                style={{
                  left: pixels(box?.x),
                  top: pixels(box?.y),
                  width: pixels(box?.width),
                  height: pixels(HEIGHT),
                }}
                draggable={false}
                onFocus={() => setNear(agent.name)}
                onBlur={() => setNear(undefined)}
                onMouseEnter={() => setNear(agent.name)}
                onMouseLeave={() => setNear(undefined)}
              >
                <strong>{agent.name}</strong>
                <span>{noteOf(agent, isTooDeep ? maxDepth : undefined)}</span>
              </a>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function pixels(length: number | undefined): string {
  return `${length ?? 0}px`;
}

const KEYS: Readonly<Record<string, 'fit' | number | readonly [x: number, y: number]>> = {
  ArrowLeft: [STEP, 0],
  ArrowRight: [-STEP, 0],
  ArrowUp: [0, STEP],
  ArrowDown: [0, -STEP],
  '+': 1.25,
  '=': 1.25,
  '-': 0.8,
  0: 'fit',
};

/** How far it goes, in as few words as fit. @param beyond the limit that keeps the chosen agent from reaching it */
function noteOf(agent: AgentResource, beyond: number | undefined): string {
  if (beyond !== undefined) return `below max_depth ${beyond}`;
  const copies = copyingTools(agent).length > 0 ? '⟲ ' : '';
  const depth = agent.calls.length > 0 ? `depth ${agent.sub_agents_config.max_depth}` : 'calls none';
  return `${copies}${depth}${agent.schedule?.enabled ? ' · ◷' : ''}`;
}

function boxesOf(agents: readonly AgentResource[]): {
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
function wayBetween(from: Box, to: Box, isBack: boolean): string {
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
