import type { ClosePorts } from '../../core/turn/close.ts';
import type { InvokeLater } from './invoke-later.ts';
import { GIVE_UP_BY } from './variables.ts';

/** Makes the function that reaches remote agents cancel a run's task there; nothing if there are no such agents. */
export function functionGiveUp(): Pick<ClosePorts, 'giveUp'> {
  const by = process.env[GIVE_UP_BY];
  if (by === undefined) return {};
  let invokeLater: InvokeLater | undefined;
  return {
    async giveUp(run) {
      // Few runs end so, and none of the others waits for the client.
      invokeLater ??= (await import('./invoke-later.ts')).createInvokeLater();
      await invokeLater(by, { giveUp: run });
    },
  };
}
