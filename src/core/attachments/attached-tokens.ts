import type { Showing } from '../model/model.ts';
import { attachmentsIn } from '../records/message-texts.ts';
import type { Message } from '../records/message.ts';

/** The most tokens that all that is attached to messages comes to. */
export function attachedTokens(messages: readonly Message[], showing: Showing | undefined): number {
  if (showing === undefined) return 0;
  return attachmentsIn(messages).reduce((sum, one) => sum + showing.tokensOf(one), 0);
}
