import type { EmitRunEvent } from '../runs/event.ts';
import type { RunStore } from '../runs/ports.ts';
import { identityOf, resultOf, usageOf, type Run, type Turn } from '../runs/run.ts';

export interface ClosePorts {
  store: RunStore;
  emit: EmitRunEvent;
  now: () => number;
}

/**
 * Closes the record of a run that came to its end by itself: with an answer, or at a limit of its tree's budget.
 * A record that was closed before stays as it is: the run was stopped, or this is a repeated turn.
 * @returns the record as it is kept now, or undefined if there is none
 */
export async function closeRun(
  id: string,
  turns: readonly Turn[],
  end: { status: 'succeeded' } | { status: 'budget_exceeded'; exceeded: string },
  { store, emit, now }: ClosePorts,
): Promise<Run | undefined> {
  const endedAt = now();
  let closes = false;
  const closed = await store.updateRun(id, (run): Run => {
    closes = run.status === 'running';
    if (!closes) return run;
    const stopReason = turns.at(-1)?.answer.rawStopReason;
    return {
      ...run,
      ...end,
      endedAt: new Date(endedAt).toISOString(),
      usage: usageOf(turns),
      ...(stopReason !== undefined && { stopReason }),
    };
  });
  if (closed === undefined || !closes) return closed;
  emit({
    type: 'run_closed',
    ...identityOf(closed),
    status: end.status,
    durationMs: endedAt - Date.parse(closed.startedAt),
    characters: resultOf(closed, turns).length,
    error: '',
    reason: closed.exceeded ?? '',
  });
  return closed;
}
