import type { AgentResource } from '../../api/answers.ts';
import { hrefOf } from '../route.ts';
import { calledBy, copyingTools } from './calls.ts';
import { HEIGHT, wayBetween, type Box } from './graph-boxes.ts';

export interface EdgesProps {
  agents: readonly AgentResource[];
  boxes: ReadonlyMap<string, Box>;
  /** The agent that is pointed at. */
  near: string | undefined;
}

/** Lines from agents to those that they may call. */
export function Edges({ agents, boxes, near }: EdgesProps) {
  const edges = agents.flatMap((agent) => calledBy(agent).map((to) => [agent.name, to] as const));
  return (
    <>
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
      {edges.map(([from, to]) => {
        const [start, end] = [boxes.get(from), boxes.get(to)];
        if (start === undefined || end === undefined) return null;
        const isBack = end.x <= start.x;
        const look = near === undefined ? '' : [from, to].includes(near) ? ' near' : ' far';
        return (
          <path
            key={`${from} ${to}`}
            class={`agents-edge${isBack ? ' back' : ''}${look}`}
            d={wayBetween(start, end, isBack)}
            marker-end="url(#agents-end)"
          />
        );
      })}
    </>
  );
}

export interface AgentNodeProps {
  agent: AgentResource;
  box: Box | undefined;
  isTop: boolean;
  /** The limit that keeps the chosen agent from reaching it. */
  beyond: number | undefined;
  isFar: boolean;
  onNear: (name: string | undefined) => void;
}

/** An agent as a link to its view. */
export function AgentNode({ agent, box, isTop, beyond, isFar, onNear }: AgentNodeProps) {
  const { name } = agent;
  const look = `${isTop ? ' top' : ''}${beyond === undefined ? '' : ' too-deep'}${isFar ? ' far' : ''}`;
  const enter = () => onNear(name);
  const leave = () => onNear(undefined);
  return (
    <a
      class={`agents-node${look}`}
      href={hrefOf({ view: 'agent', name })}
      style={{
        left: `${box?.x ?? 0}px`,
        top: `${box?.y ?? 0}px`,
        width: `${box?.width ?? 0}px`,
        height: `${HEIGHT}px`,
      }}
      draggable={false}
      onFocus={enter}
      onBlur={leave}
      onMouseEnter={enter}
      onMouseLeave={leave}
    >
      <strong>{name}</strong>
      <span>{noteOf(agent, beyond)}</span>
    </a>
  );
}

/** How far it reaches, in as few words as fit. @param beyond the limit that keeps the chosen agent from reaching it */
function noteOf(agent: AgentResource, beyond: number | undefined): string {
  if (beyond !== undefined) return `below max_depth ${beyond}`;
  const copies = copyingTools(agent).length > 0 ? '⟲ ' : '';
  const depth = agent.calls.length > 0 ? `depth ${agent.sub_agents_config.max_depth}` : 'calls none';
  return `${copies}${depth}${agent.schedule?.enabled ? ' · ◷' : ''}`;
}
