import type { ClosePorts } from '../../core/turn/close.ts';
import type { InvokeLater } from './invoke-later.ts';
import { GIVE_UP_BY } from './variables.ts';

/** Has the function that reaches remote agents cancel what a run has had one do; nothing where there are none. */
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
