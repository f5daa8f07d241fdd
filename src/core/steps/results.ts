import { AgentError } from '../../errors.ts';
import type { ToolResult } from '../records/message.ts';
import type { Turn } from '../records/turn.ts';
import type { Ended } from './kind.ts';
import { planned } from './kinds.ts';
import type { Outcome } from './outcome.ts';

/** The results of a turn's calls, in call order, independent of the order in which they finished. */
export async function toResults(
  { number, answer, plans }: Turn,
  outcomes: readonly Outcome[],
  context: Omit<Ended, 'turn' | 'call' | 'outcome'>,
): Promise<ToolResult[]> {
  return Promise.all(
    answer.calls.map(async (call, index) => {
      const plan = plans[index];
      if (plan === undefined) throw new AgentError(`turn ${number} of "${context.run.id}" lost a plan`);
      const outcome = outcomes.findLast((each) => each.call === index + 1);
      return planned(plan).toResult(call, { ...context, turn: number, call: index + 1, outcome });
    }),
  );
}
