import { HttpAgent, type Message } from '@ag-ui/client';
import { EventSchema } from '@ag-ui/core/schemas';
import { expect } from 'vitest';
import * as v from 'valibot';
import type { Role } from '../../fixtures/stage.ts';
import type { Served } from './served-agents.ts';

/** AG-UI's own client, which refuses streams that its protocol does not allow. */
export function clientOf(
  { server }: Pick<Served, 'server'>,
  threadId = 'thread',
  initialMessages: Message[] = [],
) {
  const agent = new HttpAgent({ url: `${server.url}/agents/top/ag-ui`, threadId, initialMessages });
  const events: string[] = [];
  agent.subscribe({
    onEvent({ event }) {
      expect(EventSchema.parse(event)).toEqual(event);
      events.push(event.type);
    },
  });
  let said = initialMessages.length;
  const run = async (resume?: Resume) => {
    events.length = 0;
    await agent.runAgent(resume && { resume });
    return { events: [...events], interrupts: agent.pendingInterrupts };
  };
  return {
    agent,
    run,
    async say(content: string, resume?: Resume) {
      agent.addMessage({ id: `m${++said}`, role: 'user', content });
      return run(resume);
    },
    /** The words of both sides. */
    said: () => agent.messages.flatMap(({ role, content }) => (role === 'tool' ? [] : [content])),
  };
}
export type Resume = { interruptId: string; status: 'resolved' | 'cancelled'; payload?: unknown }[];

/** The answer to a body that its client does not send. */
export async function answerTo({ server }: Pick<Served, 'server'>, body: object) {
  const response = await fetch(`${server.url}/agents/top/ag-ui`, posted(body));
  return { status: response.status, body: await response.text() };
}

/** A request that says hello in a thread, as far as it is not told otherwise. */
export const posted = (body: object = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ threadId: 'thread', runId: 'r', messages: hello, ...body }),
});

export const AnyMessage = v.custom<Message>((value) => typeof value === 'object');
export const hello: Message[] = [{ id: 'm1', role: 'user', content: 'hello' }];
export const user = (text: string) => ({ role: 'user', text });
export const assistant = (text: string) => ({ role: 'assistant', text, calls: [] });
export const counting: Role = ({ turn }) => `answer ${turn}`;

export async function runsOf({ get }: Served) {
  const { body } = await get('/runs');
  return Array.isArray(body['runs']) ? body['runs'] : [];
}
