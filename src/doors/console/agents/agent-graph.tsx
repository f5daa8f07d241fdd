import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { AgentResource } from '../../api/answers.ts';
import { useSize } from '../shared/use-size.ts';
import { calledBy, callersOf, levelsBelow } from './calls.ts';
import { boxesOf } from './graph-boxes.ts';
import { AgentNode, Edges } from './graph-parts.tsx';
import { useView } from './use-view.ts';
import { fitting, moved, opening, zoomed } from './view.ts';

const STEP = 60;

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
  useWheelZoom(frame, zoom);
  const onKeyDown = (event: KeyboardEvent) => {
    const act = KEYS[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (act === 'fit') fit();
    else if (typeof act === 'number') zoom(act);
    else setView((now) => moved(now, ...act));
  };
  const maxDepth = top?.sub_agents_config.max_depth ?? Infinity;
  const nearest = agents.find(({ name }) => name === near);
  const neighbours =
    nearest && new Set([nearest.name, ...calledBy(nearest), ...callersOf(nearest.name, agents)]);
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
            <Edges agents={agents} boxes={boxes} near={near} />
          </svg>
          {agents.map((agent) => {
            const level = levels?.get(agent.name);
            return (
              <AgentNode
                key={agent.name}
                agent={agent}
                box={boxes.get(agent.name)}
                isTop={agent === top}
                beyond={level !== undefined && level > maxDepth ? maxDepth : undefined}
                isFar={!isMeant(agent) || neighbours?.has(agent.name) === false}
                onNear={setNear}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Zooms with a wheel while a key is held, so that the page still scrolls; @param zoom as of the first rendering */
function useWheelZoom(
  frame: RefObject<HTMLElement | null>,
  zoom: (factor: number, at: { x: number; y: number }) => void,
): void {
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    // Browsers pass wheels on to passive listeners otherwise.
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { left, top: above } = current.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY / 400), { x: event.clientX - left, y: event.clientY - above });
    };
    current.addEventListener('wheel', onWheel, { passive: false });
    return () => current.removeEventListener('wheel', onWheel);
  }, []);
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
