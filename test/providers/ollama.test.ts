import type { ChatRequest } from 'ollama';
import { afterEach, describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../src/core/model/model.ts';
import { createOllamaModel } from '../../src/providers/ollama/ollama.ts';
import { toRequest } from '../../src/providers/ollama/to-request.ts';
import { cases } from '../fixtures/cases.ts';
import { startModelServer, type ModelServer } from '../fixtures/model-server.ts';
import { ask, callAgent, conversation, running, STREAMED } from './requests.ts';

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function exchange(request: ModelRequest, body: unknown) {
  const started = await startModelServer([{ body }]);
  server = started;
  const model = createOllamaModel({ baseUrl: started.url, fetch });
  return { answer: await model.send(request, running), requests: started.requests };
}

const done = {
  message: { role: 'assistant', content: 'Done.' },
  done: true,
  done_reason: 'stop',
  prompt_eval_count: 12,
  eval_count: 3,
};

describe('a request to Ollama', () => {
  it('is a POST to /api/chat that asks for a stream and sends no options', async () => {
    const { requests } = await exchange(ask('Hello'), done);
    expect(requests).toEqual([
      {
        method: 'POST',
        path: '/api/chat',
        headers: { 'content-type': 'application/json' },
        body: { model: 'test-model', stream: true, messages: [{ role: 'user', content: 'Hello' }] },
      },
    ]);
  });

  it('carries system, options, tools, calls and one message for each result, in call order', async () => {
    const { requests } = await exchange(conversation, done);
    const published: ChatRequest & { stream: false } = {
      model: 'test-model',
      stream: false,
      options: { temperature: 0.5, num_predict: 100 },
      tools: [
        {
          type: 'function',
          function: { name: 'call_agent', description: 'Delegate a task', parameters: callAgent.parameters },
        },
      ],
      messages: [
        { role: 'system', content: 'You are terse.' },
        { role: 'user', content: 'Begin.' },
        {
          role: 'assistant',
          content: 'I ask both.',
          tool_calls: [
            { function: { name: 'call_agent', arguments: { agent: 'ada', task: 'count', depth: 2 } } },
            { function: { name: 'call_agent', arguments: {} } },
          ],
        },
        { role: 'tool', content: '42', tool_name: 'call_agent' },
        { role: 'tool', content: 'call_agent error: "agent" argument is required', tool_name: 'call_agent' },
        // The answer in between held nothing, which some servers refuse.
        { role: 'user', content: 'Go on.' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ function: { name: 'call_agent', arguments: { agent: 'bob' } } }],
        },
        { role: 'tool', content: '43', tool_name: 'call_agent' },
      ],
    };
    expect(requests.map(({ body }) => body)).toEqual([{ ...published, ...STREAMED }]);
  });

  it.each([
    [{ temperature: 0.2 }, { temperature: 0.2 }],
    [{ maxTokens: 7 }, { num_predict: 7 }],
  ])('sends of the options only what was set: %j', (set, options) => {
    const request: ChatRequest = toRequest(ask('x', set));
    expect(request.options).toEqual(options);
  });
});

describe('an answer of Ollama', () => {
  it('may ask for far too many calls, of which most are left out', async () => {
    const calls = Array.from({ length: cases(200_000) }, () => ({ function: { name: 'f' } }));
    const line = `${JSON.stringify({ ...done, message: { content: '', tool_calls: calls } })}\n`;
    const bytes = new TextEncoder().encode(line);
    server = await startModelServer([{ contentType: 'application/x-ndjson', bytes }]);
    const model = createOllamaModel({ baseUrl: server.url, fetch });
    expect((await model.send(ask('x'), running)).calls).toHaveLength(1_000);
  });
});
