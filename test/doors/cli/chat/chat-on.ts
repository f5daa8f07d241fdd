import { createChat } from '../../../../src/doors/cli/chat/chat.ts';
import { createSession } from '../../../../src/doors/cli/chat/session.ts';
import type { Run } from '../../../../src/core/records/run.ts';
import type { Stage } from '../../../fixtures/stage.ts';

/**
 * A chat with the agent `top`, and what it shows.
 * @param from the run that it goes on with; absent: none
 * @param isCarried whether its tree is shown as carried out by a process
 */
export function chatOn({ environment, pipeline, asked }: Stage, from?: Run, isCarried = true) {
  const shown: string[] = [];
  const screen = {
    answer: (agent: string, text: string) => void shown.push(`${agent}: ${text}`),
    tell: (text: string) => void shown.push(text.trimEnd()),
    show: () => {},
  };
  const toRequest = (prompt: string) => ({ agent: 'top', prompt });
  const session = createSession(from, { environment, toRequest, screen, now: Date.now });
  const records = { ...environment.records, isCarriedOut: () => Promise.resolve(isCarried) };
  const looked = { ...environment, records };
  const chat = createChat({ agent: 'top', session, environment: looked, screen, now: Date.now });
  return { session, chat, shown, asked, store: pipeline.store };
}
