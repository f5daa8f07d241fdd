import { visible } from '../shared/visible.ts';

/** Facts with their names; those without a value are left out. */
export function AgentFacts({
  rows,
}: {
  rows: readonly (readonly [name: string, value: string | undefined])[];
}) {
  return (
    <dl class="agent-facts">
      {rows.map(([name, value = '']) =>
        value === '' ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{visible(value)}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
