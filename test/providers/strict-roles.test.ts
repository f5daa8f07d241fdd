import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelRequest } from '../../src/core/model/model.ts';
import { toRequest as toOllama } from '../../src/providers/ollama/to-request.ts';
import { toRequest as toChat } from '../../src/providers/openai/chat/to-request.ts';
import type { Message } from '../../src/core/records/message.ts';
import { startModelServer, type Reply } from '../fixtures/model-server.ts';
import { ask, running, STREAMED, STREAMED_CHAT } from './requests.ts';
import { modelAt, WIRES, type Wire } from './wires.ts';

const UNEXPECTED = "Unexpected role 'user' after role 'tool'";

const refusal = (message: string): Reply => ({ status: 400, body: { error: { message } } });

/** Refusals as servers write them. */
const REFUSALS: Record<string, Reply> = {
  Mistral: {
    status: 400,
    body: { object: 'error', message: UNEXPECTED, type: 'invalid_request_message_order', code: '3230' },
  },
  'mistral-common': refusal(
    'Expected last role User or Assistant (or Assistant with prefix True) for serving but got tool',
  ),
  'a template behind vLLM': refusal(
    'Conversation roles must alternate user/assistant/user/assistant/... at row 19',
  ),
  'a template behind llama.cpp': {
    status: 500,
    body: {
      error: {
        code: 500,
        message:
          '\n------------\nWhile executing CallExpression at line 47, column 32 in source:\nError: Jinja Exception: ' +
          'After the optional system message, conversation roles must alternate user and assistant roles except for tool ' +
          'calls and results.',
        type: 'server_error',
      },
    },
  },
  'a template in Ollama': {
    status: 400,
    body: { error: 'template: :9:12: executing: roles must alternate' },
  },
};

const CONVERSATION: Message[] = [
  { role: 'user', text: 'Begin.' },
  { role: 'assistant', text: '', calls: [{ id: 'one', name: 'f', arguments: {} }] },
  { role: 'tool', results: [{ callId: 'one', name: 'f', text: '42', isError: false }] },
];
const told = ask('', { messages: [...CONVERSATION, { role: 'user', text: 'Hurry up.' }] });
const notTold = ask('', { messages: CONVERSATION });

const wires: [string, Wire | undefined, (request: ModelRequest, strictRoles: boolean) => object][] = [
  [
    'openai chat',
    WIRES['openai chat'],
    (request, strict) => ({ ...toChat(request, '', strict), ...STREAMED_CHAT }),
  ],
  ['ollama', WIRES['ollama'], (request, strict) => ({ ...toOllama(request, strict), ...STREAMED })],
];

let servers = 0;

/** Sends the requests, one after another, to a server that gives the replies; each of these is known by its own path. */
async function exchange(
  wire: Wire | undefined,
  requests: ModelRequest[],
  replies: Reply[],
  strictRoles = false,
) {
  if (wire === undefined) throw new Error('there is no such wire');
  const server = await startModelServer(replies);
  onTestFinished(() => server.close());
  const baseUrl = `${server.url}/strict-${++servers}`;
  const answers: string[] = [];
  for (const request of requests) {
    // A model of its own for each turn, as the turn function has it.
    const { model } = await modelAt(baseUrl, wire, strictRoles);
    const answered = model.send({ ...request, ...wire.request }, running).then(
      ({ text }) => text,
      (error: unknown) => String(error),
    );
    answers.push(await answered);
  }
  return { answers, sent: server.requests.map(({ body }) => body) };
}

describe.each(wires)('a server of %s that refuses a user after a tool', (_, wire, toRequest) => {
  const done: Reply = { body: wire?.plain };
  const usual = toRequest(told, false);
  const strict = toRequest(told, true);

  it.each(Object.entries(REFUSALS))(
    'as %s does gets the text with the last result, and from then on at once',
    async (__, refused) => {
      const { answers, sent } = await exchange(wire, [told, told], [refused, done, done]);
      expect(answers).toEqual(['Done.', 'Done.']);
      expect(sent).toEqual([usual, strict, strict]);
      expect(strict).not.toEqual(usual);
    },
  );

  it('gets it so at once where the configuration says so, and is not asked again', async () => {
    const { answers, sent } = await exchange(wire, [told, told], [done, refusal(UNEXPECTED)], true);
    expect(answers).toEqual(['Done.', expect.stringContaining(UNEXPECTED)]);
    expect(sent).toEqual([strict, strict]);
  });

  it('is asked once where that would be the same order', async () => {
    const { answers, sent } = await exchange(wire, [notTold, told], [refusal(UNEXPECTED), done]);
    expect(answers).toEqual([`ModelError: bad_request: ${UNEXPECTED}`, 'Done.']);
    expect(sent).toEqual([toRequest(notTold, false), usual]);
  });

  it('is asked no third time', async () => {
    const { answers, sent } = await exchange(wire, [told], [refusal(UNEXPECTED), refusal('no such model')]);
    expect(answers).toEqual(['ModelError: bad_request: no such model']);
    expect(sent).toEqual([usual, strict]);
  });

  it.each([refusal('the role of this key does not allow it'), { body: { error: { message: UNEXPECTED } } }])(
    'and for another reason, or under status 200, is asked once: %j',
    async (reply) => {
      const { sent } = await exchange(wire, [told], [reply, done]);
      expect(sent).toEqual([usual]);
    },
  );
});

it('a request of another API is sent once, after any refusal', async () => {
  const others = Object.entries(WIRES).filter(([name]) => !wires.some(([strict]) => strict === name));
  for (const [, wire] of others) {
    const { answers, sent } = await exchange(wire, [told], [refusal(UNEXPECTED), { body: wire.plain }]);
    expect(answers).toEqual([expect.stringContaining('ModelError: bad_request: ')]);
    expect(sent).toHaveLength(1);
  }
});

it.each([
  refusal('Tool call id was one but must be a-z, A-Z, 0-9, with a length of 9.'),
  {
    status: 500,
    body: { error: { message: 'Tool call IDs should be alphanumeric strings with length 9!' } },
  },
])('a server that refuses the ids of another gets its own kind: %j', async (refused: Reply) => {
  const wire = WIRES['openai chat'];
  const { answers, sent } = await exchange(wire, [notTold], [refused, { body: wire?.plain }]);
  expect(answers).toEqual(['Done.']);
  expect(sent).toEqual([false, true].map((strict) => ({ ...toChat(notTold, '', strict), ...STREAMED_CHAT })));
});
