import { closingReason } from '../records/closing-reason.ts';
import { DEAD, isIn } from '../records/phase.ts';
import { nameOf, type Run } from '../records/run.ts';
import { hasAnswer, isPassedOver, resultOf, type Turn } from '../records/turn.ts';
import { withReason } from '../tool-contracts/delegation.ts';
import { MAX_RESULT_CHARACTERS } from '../tool-contracts/tool.ts';
import type { ClosePorts } from '../turn/close.ts';
import { hasNews } from './due.ts';
import type { Letter } from './put-mail.ts';

/**
 * The message that tells the caller of an agent in the background that it has finished, once for each time. It is kept
 * even for a caller that was stopped or has failed, which reads it if it continues.
 * @param run as it is about to end, or has ended
 */
export async function endLetter(
  run: Run,
  turns: readonly Turn[],
  ports: ClosePorts,
): Promise<Letter | undefined> {
  const { store, now } = ports;
  const caller = run.parent && (await store.run(run.parent.run));
  // An agent that ends with its caller also continues with it, if the caller ever does.
  if (caller === undefined || (run.status === 'stopped' && isIn(DEAD, caller))) return undefined;
  const status = run.status === 'idle' ? 'succeeded' : run.status;
  const body = `[Agent "${nameOf(run)}" (${run.id}) has finished: ${status}]\n\n${resultText(run, turns)}`;
  const mail = {
    from: run.id,
    fromName: nameOf(run),
    kind: 'end' as const,
    body,
    sentAt: new Date(now()).toISOString(),
  };
  const key = [run.id, turns.length, ...(await whyAgain(run, turns, ports))].join('#');
  return { to: caller, mail, key };
}

/**
 * What tells an end from an earlier one with the same turn, as part of a key. Empty for an agent that had answered by
 * then and was asked for nothing since: that end has been told, or is being told now.
 */
async function whyAgain(run: Run, turns: readonly Turn[], { store }: ClosePorts) {
  if (!isIn(DEAD, run)) return isPassedOver(run, turns) ? [run.passedOver?.at] : [];
  return hasAnswer(run, turns) && !(await hasNews(run, store)) ? [] : [causeOf(run)];
}

/** Why a run is dead, as part of a key. */
export function causeOf({ status, failure }: Run): string {
  return (failure?.error ?? status).slice(0, 100);
}

/** Its answer or, if it has none, its last text; and why that is not all. */
function resultText(run: Run, turns: readonly Turn[]): string {
  const said = isIn(DEAD, run)
    ? (turns.findLast(({ answer }) => answer.text.trim() !== '')?.answer.text ?? '')
    : resultOf(run, turns);
  const left = said.length - MAX_RESULT_CHARACTERS;
  const shown = said.slice(0, MAX_RESULT_CHARACTERS).toWellFormed();
  const rest =
    left > 0 ? `${left} of ${said.length} characters left out; the whole is the answer of run ${run.id}` : '';
  return withReason(withReason(shown, rest), closingReason(run));
}
