import type { AgentList } from '../../api/answers.ts';
import { visible } from '../shared/visible.ts';

/** The agents of which no run can begin, and why. */
export function AgentFaults({ faults }: Pick<AgentList, 'faults'>) {
  return (
    <>
      {faults.map(({ agent, detail }) => (
        <p key={agent} class="problem">
          {visible(agent)} cannot start: {visible(detail)}
        </p>
      ))}
    </>
  );
}
