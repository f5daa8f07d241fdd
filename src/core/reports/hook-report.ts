import { callName } from '../records/call.ts';
import type { Opened } from '../records/opened.ts';
import type { RunReads } from '../records/ports.ts';
import type { Turn } from '../records/turn.ts';
import { defined } from '../../defined.ts';
import type { HookReport } from './run-schemas.ts';

/**
 * What hooks decided in a run, turn by turn.
 * @param turns some of the run, in order; after the last there may be one that hooks are still asked about
 */
export async function hooksOfRun(
  run: string,
  opened: Pick<Opened, 'hooks'> | undefined,
  turns: readonly Turn[],
  store: Pick<RunReads, 'decisions'>,
): Promise<HookReport[]> {
  if (opened?.hooks === undefined) return [];
  const numbers = turns.map(({ number }) => number);
  const made = await Promise.all(
    [...numbers, (numbers.at(-1) ?? 0) + 1].map((turn) => store.decisions(run, turn)),
  );
  return made.flat().map(({ turn, call, decided: { hook, on, decision, reason, fault, at } }) => ({
    run_id: run,
    call: callName({ turn, call }),
    ...defined({ tool: turns.find(({ number }) => number === turn)?.answer.calls[call - 1]?.name }),
    hook,
    on,
    decision,
    ...defined({ reason, fault }),
    at,
  }));
}
