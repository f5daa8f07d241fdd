import type { AgentDetails } from '../../api/answers.ts';
import { visible } from '../shared/visible.ts';

const LOOKS = {
  allow: { tone: 'good', word: 'allowed' },
  ask: { tone: 'attention', word: 'asks first' },
  deny: { tone: 'bad', word: 'denied' },
} as const;

/** The tools of an agent, and what happens to calls of them. */
export function AgentTools({ tools, servers }: Pick<AgentDetails, 'servers' | 'tools'>) {
  return (
    <section class="card">
      <h2>Tools</h2>
      {tools.length === 0 && <p class="muted">It has none.</p>}
      <ul class="agent-tools">
        {tools.map(({ name, permission, rules = [], writes, description = '' }) => (
          <li key={name}>
            <details>
              <summary>
                <span class="code">{visible(name)}</span>
                <span class={`badge ${LOOKS[permission].tone}`}>{LOOKS[permission].word}</span>
                <span class="muted">{writes ? 'may change things' : 'changes nothing itself'}</span>
                {rules.map((rule) => (
                  <span key={rule} class="badge code">
                    {visible(rule)}
                  </span>
                ))}
              </summary>
              <p>{description === '' ? 'It is not offered.' : visible(description)}</p>
            </details>
          </li>
        ))}
      </ul>
      {servers.length > 0 && (
        <p class="muted">
          With what its servers offered last: {visible(servers.join(', '))}. They are asked when a run begins.
        </p>
      )}
    </section>
  );
}
