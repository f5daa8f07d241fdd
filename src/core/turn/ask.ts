import { resultsIn } from '../records/message.ts';
import type { SentTurn, Turn } from '../records/turn.ts';
import { beginAnswer } from './begun-answer.ts';
import { fitWindow } from './fit-window.ts';
import type { Refused } from './make-room.ts';
import { promptOf, sendPrompt, waiting, type AskPorts, type ConversationSoFar } from './send-prompt.ts';
import type { TimedTurnInput } from './turn-input.ts';
import { laterExecution, roomIn, turnOf } from './turn-of-answer.ts';
import type { TurnBatch, TurnWait } from './wait.ts';
import { defined } from '../../defined.ts';

/**
 * Asks the model for its next answer and plans the calls in it, within what the tree may spend and what the model's
 * window holds.
 * @param refused the prompt for this turn that the API refused for its length, if it did
 * @returns the turn, which is not saved yet, or has been `made` by another; or the limit that stands in its way; or
 *   how long to leave the API alone, or to wait for a batch
 * @throws the error of the model's API, if it is not asked again
 */
export async function askModel(
  input: TimedTurnInput,
  conversation: ConversationSoFar,
  ports: AskPorts,
  signal: AbortSignal,
  refused?: Refused,
): Promise<{ turn: Turn } | { made: Turn } | { exceeded: string } | TurnBatch | TurnWait> {
  const { run, opened, turns, waited, news, resting } = conversation;
  const room = roomIn(conversation);
  if (typeof room !== 'number') return room;
  const opening = { input, conversation, ports, signal, ...(await ports.models.open(opened.model)) };
  const batch = opened.service === 'batch' ? await import('./batched-turn.ts') : undefined;
  const found = refused === undefined ? await batch?.batchedTurn(opening) : undefined;
  if (found !== undefined && !('model' in found)) return found;
  const asking = found ?? opening;
  if (resting !== undefined) return waiting(resting.wait, resting.reason, asking);
  const fitted = await fitWindow(conversation, refused, ports.store, async (wanted, messages) => {
    const { summarise } = await import('./summarise.ts');
    return summarise(wanted, messages, asking);
  });
  const again = (tooLong: Refused) => askModel(input, conversation, ports, signal, tooLong);
  if ('refused' in fitted) return again(fitted.refused);
  if (!('messages' in fitted)) return fitted;
  const { messages, tokens, compaction, showing } = fitted;
  const sent: SentTurn = {
    number: turns.length + 1,
    ...defined({ execution: laterExecution(run) }),
    messages: messages.length,
    received: fitted.received,
    ...(news.ids.length > 0 && { told: news.ids }),
    ...(news.noticed.length > 0 && { noticed: news.noticed }),
    ...defined({ compaction }),
    ...(waited.length > 0 && { waited }),
  };
  const prompt = { ...promptOf(opened, messages, room), tokens, ...defined({ showing }) };
  // The provider's earlier count no longer holds where something is left out.
  const alike = compaction === undefined ? turns : [];
  const isFirst = found === undefined && refused === undefined;
  const collected = isFirst ? await batch?.beginBatched(prompt, alike, sent, asking) : undefined;
  if (collected !== undefined) return collected;
  const answered = await sendPrompt(prompt, alike, asking, (at) => {
    const begun = {
      turn: sent.number,
      at,
      messages: sent.messages,
      pendingCalls: resultsIn(sent.received).length,
    };
    return beginAnswer(run, begun, conversation.watchedUntil > at, ports);
  });
  if ('refused' in answered) return again(answered.refused);
  if (!('answer' in answered)) return answered;
  return { turn: await turnOf(answered, sent, room, asking) };
}
