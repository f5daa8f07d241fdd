import { createChat } from '../../../../src/doors/cli/chat/chat.ts';
import { createSession } from '../../../../src/doors/cli/chat/session.ts';
import { readGiven } from '../../../../src/places/attach.ts';
import type { GivenInput } from '../../../../src/places/given-input.ts';
import { toRunRequest } from '../../../../src/places/run-request.ts';
import type { Run } from '../../../../src/core/records/run.ts';
import type { Stage } from '../../../fixtures/stage.ts';

/**
 * A chat with the agent `top`, and what it shows.
 * @param from the run that it goes on with; absent: none
 * @param isCarried whether its tree is shown as carried out by a process
 */
export function chatOn({ environment, pipeline, asked, cwd }: Stage, from?: Run, isCarried = true) {
  const shown: string[] = [];
  const screen = {
    answer: (agent: string, text: string) => void shown.push(`${agent}: ${text}`),
    tell: (text: string) => void shown.push(text.trimEnd()),
    show: () => {},
  };
  const toRequest = (prompt: string, given: GivenInput) => toRunRequest('top', { prompt }, given);
  const read = (path: string) => readGiven([path], cwd);
  const session = createSession(from, { environment, toRequest, screen, now: Date.now });
  const records = { ...environment.records, isCarriedOut: () => Promise.resolve(isCarried) };
  const looked = { ...environment, records };
  const chat = createChat({ agent: 'top', session, environment: looked, screen, now: Date.now, read });
  return { session, chat, shown, asked, cwd, store: pipeline.store };
}
