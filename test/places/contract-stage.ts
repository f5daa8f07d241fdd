import type { LocalTime } from '../../src/places/time.ts';
import { silence, type Role } from '../fixtures/stage.ts';
import { CONTRACT_ROLES } from './contract-agents.ts';

/** The agents of the contract as the roles of a stage, whose models are functions of this process. */
export function stageRoles({ sleep }: Pick<LocalTime, 'sleep'>): Readonly<Record<string, Role>> {
  return Object.fromEntries(
    Object.entries(CONTRACT_ROLES).map(([name, role]): [string, Role] => [
      name,
      async (asked) => {
        const { turn, message, results, told, signal } = asked;
        const said = await Promise.race([
          role({ turn, message, results, told, sleep: (ms) => sleep(ms, signal) }),
          silence(asked),
        ]);
        if (typeof said === 'string') return said;
        return said.map(({ tool, input }, index) => ({ id: `call_${index}`, name: tool, arguments: input }));
      },
    ]),
  );
}
