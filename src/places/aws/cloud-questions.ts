import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { WaitingState } from '../../core/turn/ask-person.ts';
import { QUESTION_EVENT } from './deployment.ts';
import { messageOf } from '../../errors.ts';
import { questionEvent } from '../../core/reports/question-event.ts';
import type { LiveBus } from '../../core/events/live.ts';
import { identityOf } from '../../core/events/event.ts';

/**
 * Announces a question on the account's default event bus. The question is in the store by then and can be answered, so
 * nothing fails if the bus does not take the event. A question that is asked again after a crash is announced again.
 * @param environment `dev`
 */
export async function tellOfQuestion(
  environment: string,
  { run, question, until, token }: WaitingState,
  { client, live }: { client: EventBridgeClient; live: LiveBus },
): Promise<void> {
  const detail = questionEvent(environment, { question, wait: { token, until } });
  try {
    const { Entries = [] } = await client.send(
      new PutEventsCommand({ Entries: [{ ...QUESTION_EVENT, Detail: JSON.stringify(detail) }] }),
    );
    for (const { ErrorMessage } of Entries) if (ErrorMessage !== undefined) throw new Error(ErrorMessage);
  } catch (thrown) {
    const message = `no event tells of the question ${detail.question_id}: ${messageOf(thrown)}`;
    live.tell({ type: 'warning', ...identityOf(run), message });
  }
}
