import { callName } from '../records/call.ts';
import type { KeptDecision } from '../records/hook.ts';
import type { RunReads } from '../records/ports.ts';
import type { Turn } from '../records/turn.ts';
import { defined } from '../../defined.ts';

/** What a hook decided, for `--json`. */
export interface HookReport {
  run_id: string;
  /** `t1c2`; `t1c0`: about the text of the turn. */
  call: string;
  /** Absent: it was asked about a text. */
  tool?: string;
  hook: string;
  on: KeptDecision['decided']['on'];
  decision: KeptDecision['decided']['decision'];
  reason?: string;
  /** Why it failed, and so denied. */
  fault?: string;
  at: string;
}

/** What hooks decided in a run, turn by turn. */
export async function hooksOfRun(
  run: string,
  turns: readonly Turn[],
  store: Pick<RunReads, 'decisions' | 'opened'>,
): Promise<HookReport[]> {
  const opened = await store.opened(run);
  if (opened?.hooks === undefined) return [];
  // One more may have been made that hooks are still asked about.
  const numbers = Array.from({ length: turns.length + 1 }, (_, index) => index + 1);
  const made = await Promise.all(numbers.map((turn) => store.decisions(run, turn)));
  return made.flat().map(({ turn, call, decided: { hook, on, decision, reason, fault, at } }) => ({
    run_id: run,
    call: callName({ turn, call }),
    ...defined({ tool: turns[turn - 1]?.answer.calls[call - 1]?.name }),
    hook,
    on,
    decision,
    ...defined({ reason, fault }),
    at,
  }));
}
