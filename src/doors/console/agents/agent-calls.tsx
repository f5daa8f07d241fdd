import type { AgentResource } from '../../api/answers.ts';
import { hrefOf } from '../route.ts';
import { calledBy, copyingTools } from './calls.ts';

export interface AgentCallsProps {
  agent: Pick<AgentResource, 'calls' | 'name'>;
  callers: readonly string[];
}

/** The agents that an agent may call, which may include itself, and those that may call it. */
export function AgentCalls({ agent, callers }: AgentCallsProps) {
  const copies = copyingTools(agent);
  return (
    <>
      <Links label="May call" names={calledBy(agent)} />
      {copies.length > 0 && (
        <p>
          <span class="muted">Starts copies of itself by</span> {copies.join(', ')}
        </p>
      )}
      <Links label="Called by" names={callers} />
    </>
  );
}

function Links({ label, names }: { label: string; names: readonly string[] }) {
  return (
    <p>
      <span class="muted">{label}</span>{' '}
      {names.length === 0
        ? 'no other agent'
        : names.map((name, index) => (
            <span key={name}>
              {index > 0 && ', '}
              <a href={hrefOf({ view: 'agent', name })}>{name}</a>
            </span>
          ))}
    </p>
  );
}
