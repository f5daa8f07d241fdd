import { messageOf } from '../../errors.ts';
import { abortCause } from '../records/abort.ts';
import { isLate } from '../records/deadline.ts';
import type { Account } from '../spending/spending.ts';
import { isTooLong } from './overflow.ts';
import { waiting, type ModelCall, type NotAnswered } from './send-prompt.ts';
import { waitAfter } from './wait.ts';
import { mayCompact } from './window.ts';

/**
 * What follows a request that the model has not answered: what it costs is settled, and it is made again later, or with a
 * shorter conversation.
 * @param isSent whether the model was asked: the time of the function may have been over before
 * @param tokens an estimate of the prompt's
 * @throws the error of the model's API, if it is not asked again
 */
export async function afterFailure(
  caught: unknown,
  isSent: boolean,
  tokens: number,
  account: Account,
  asking: ModelCall,
): Promise<NotAnswered> {
  const { input, conversation, ports, signal } = asking;
  const { opened } = conversation;
  const thrown = caught === signal.reason ? abortCause(signal) : caught;
  const isCut = isSent && (signal.aborted || isLate(messageOf(thrown)));
  if (opened.budget !== undefined) {
    const { chargeFailure } = await import('../spending/spending.ts');
    await chargeFailure(thrown, isCut, account, ports);
  }
  if (mayCompact(opened) && isTooLong(thrown)) return { refused: { tokens, reason: thrown.message } };
  const wait = await waitAfter(thrown, input, opened, ports);
  if (wait !== undefined) return waiting(wait, messageOf(thrown), asking);
  throw thrown;
}
