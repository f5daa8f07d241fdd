import { passedOverText } from '../records/closing-reason.ts';
import { DEAD, isIn } from '../records/phase.ts';
import { isBeside, nameOf, runsBelow, type Run } from '../records/run.ts';
import { incompleteOf, isPassedOver, resultOf, type Turn } from '../records/turn.ts';
import type { ClosePorts } from '../turn/close.ts';
import { isOutOfReach } from './ended-caller.ts';
import { causeOf, endLetter } from './end-letter.ts';
import type { Letter } from './put-mail.ts';
import { defined } from '../../defined.ts';

/** The most of an answer that the message about it contains, in characters. */
const MAX_SUMMARY = 20_000;

/**
 * The message for the agent that counts on another one: the one that started it, or the one that woke it.
 * @param run as it is about to end, or has ended
 * @returns undefined if nobody is to be told
 */
export async function letterOf(
  run: Run,
  turns: readonly Turn[],
  ports: ClosePorts,
): Promise<Letter | undefined> {
  if (run.isForPerson) return undefined;
  if (isBeside(run) && run.derivedBy === undefined) return endLetter(run, turns, ports);
  const to = isBeside(run) ? run.parent?.run : run.wokenBy;
  // An agent that wrote to itself would be woken by each of its own ends.
  const reader = to === undefined || to === run.id ? undefined : await ports.store.run(to);
  if (reader === undefined || (await isOutOfReach(reader, ports.store))) return undefined;
  // One below it ends with it.
  if (isIn(DEAD, run) && runsBelow(run, [reader]).length > 0) return undefined;
  const body = JSON.stringify({ status: 'idle', ...outcome(run, turns) });
  const mail = {
    from: run.id,
    fromName: nameOf(run),
    kind: 'report' as const,
    body,
    sentAt: new Date(ports.now()).toISOString(),
  };
  // Once for each answer, and for each way in which it failed: a process that told of an end may have died before the
  // end was recorded, and then another execution reaches the same end.
  const cause = isIn(DEAD, run) ? [causeOf(run)] : isPassedOver(run, turns) ? [run.passedOver?.at] : [];
  const key = [run.id, turns.length, ...cause].join('#');
  return { to: reader, mail, key };
}

function outcome(run: Run, turns: readonly Turn[]) {
  const { failure, exceeded } = run;
  if (isIn(DEAD, run)) {
    const said = turns.findLast(({ answer }) => answer.text.trim() !== '')?.answer.text ?? '';
    return { success: false, error: failure?.message ?? run.status, partial: cut(said) };
  }
  const text = cut(resultOf(run, turns));
  if (isPassedOver(run, turns)) return { success: false, error: passedOverText(run), partial: text };
  return { success: true, summary: text, ...defined({ exceeded, incomplete: incompleteOf(run, turns) }) };
}

function cut(text: string): string {
  return text.slice(0, MAX_SUMMARY).toWellFormed();
}
