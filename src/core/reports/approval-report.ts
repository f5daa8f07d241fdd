import { callName } from '../records/call.ts';
import { isGated } from '../records/plan.ts';
import type { Questions } from '../records/ports.ts';
import type { Run } from '../records/run.ts';
import type { Turn } from '../records/turn.ts';
import type { ApprovalReport } from './run-schemas.ts';
import { defined } from '../../defined.ts';

/** The approvals that a run needed, in the order of its calls. */
export async function approvalsOf(
  { id: run, agent }: Pick<Run, 'id' | 'agent'>,
  turns: readonly Turn[],
  store: Pick<Questions, 'answer'>,
): Promise<ApprovalReport[]> {
  const gated = turns.flatMap(({ number, plans, answer, exceeded }) =>
    plans.flatMap((plan, index) =>
      // At a limit, a run ends without its last calls.
      isGated(plan) && exceeded === undefined
        ? [{ turn: number, call: index + 1, tool: answer.calls[index]?.name ?? '' }]
        : [],
    ),
  );
  return Promise.all(
    gated.map(async ({ tool, ...at }) => {
      const {
        decision = null,
        by,
        reason,
        arguments: changed,
        at: endedAt = null,
      } = (await store.answer({ run, ...at })) ?? {};
      return {
        run_id: run,
        agent,
        call: callName(at),
        tool,
        decision,
        ...defined({ by, reason, arguments: changed }),
        ended_at: endedAt,
      };
    }),
  );
}
