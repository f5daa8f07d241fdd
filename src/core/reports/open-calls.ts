import { isGated, isHooked, mayAsk } from '../records/plan.ts';
import type { RunReads } from '../records/ports.ts';
import type { OpenCalls } from '../records/timeline.ts';
import type { Turn } from '../records/turn.ts';

/** The reads that it takes to know whether calls wait for a person. */
export type OpenCallReader = Pick<RunReads, 'answer' | 'callResult' | 'question'>;

/**
 * The calls of a run's newest turn that a person decides about: those that wait for an approval are not under way yet.
 * Other calls need only the turn itself.
 */
export async function openCalls(
  run: string,
  turn: Turn | undefined,
  records: OpenCallReader,
): Promise<OpenCalls | undefined> {
  if (turn?.plans.some((plan) => isGated(plan) || isHooked(plan)) !== true) return undefined;
  const calls = await Promise.all(
    turn.plans.map(async (plan, index) => {
      const at = { run, turn: turn.number, call: index + 1 };
      const isAsked = mayAsk(plan);
      const isCarriedOut = plan.kind === 'invoke' || plan.kind === 'wait';
      const [question, answer, result] = await Promise.all([
        isAsked ? records.question(at) : undefined,
        isAsked ? records.answer(at) : undefined,
        isCarriedOut ? records.callResult(at) : undefined,
      ]);
      // Nothing follows a denial, or the answer to a question of the agent's own.
      const isDecided = answer !== undefined && (answer.decision === 'deny' || plan.kind === 'ask');
      const decidedAt = isDecided ? Date.parse(answer.at) : undefined;
      const endedAt = result === undefined ? decidedAt : Date.parse(result.startedAt) + result.durationMs;
      return {
        asked: question && { question, answer },
        end: endedAt === undefined ? undefined : { at: endedAt },
      };
    }),
  );
  return {
    begins: calls.map(() => undefined),
    ends: calls.map(({ end }) => end),
    questions: calls.map(({ asked }) => asked),
  };
}
