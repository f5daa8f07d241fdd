import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import * as v from 'valibot';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Delta, ModelRequest } from '../../src/core/model/model.ts';
import type { Message, ModelResponse, ToolDefinition } from '../../src/core/records/message.ts';
import { createAnthropicModel } from '../../src/providers/anthropic/anthropic.ts';
import { toRequest as toAnthropic } from '../../src/providers/anthropic/to-request.ts';
import { createOpenAIModel } from '../../src/providers/openai/openai.ts';
import { toRequest as toResponses } from '../../src/providers/openai/responses/to-request.ts';
import { startModelServer, type Reply } from '../fixtures/model-server.ts';
import { ask, running } from './requests.ts';

const Body = v.object({ max_tokens: v.number(), messages: v.array(v.unknown()) });
const parameters = { type: 'object' as const };
const search: ToolDefinition = { name: 'web_search', description: 'Search.', parameters, byProvider: true };
const ferry: ToolDefinition = { name: 'ferry', description: 'Books.', parameters };

/** What a model answers, and its pieces as they come, where the API replies so. */
async function exchange(create: typeof createAnthropicModel, request: ModelRequest, reply: Reply) {
  const { url: baseUrl, close } = await startModelServer([reply]);
  onTestFinished(close);
  const deltas: Delta[] = [];
  const model = create({ baseUrl, apiKey: 'a-key', fetch });
  const answer = await model.send(request, running, (delta) => deltas.push(delta));
  const told = deltas.flatMap((delta) => (delta.type === 'text' ? [delta.text] : [])).join('');
  return { answer, told };
}

function events(parts: readonly object[]): Reply {
  const text = parts.map((part) => `data: ${JSON.stringify(part)}\n\n`).join('');
  return { contentType: 'text/event-stream', bytes: new TextEncoder().encode(text) };
}

/** The conversation after an answer, with a user's message. */
function after({ text, calls, providerContent }: ModelResponse): Message[] {
  return [
    { role: 'user', text: 'When?' },
    { role: 'assistant', text, calls, providerContent },
    { role: 'user', text: 'And back?' },
  ];
}

describe('Anthropic searches', () => {
  const used = {
    type: 'server_tool_use',
    id: 'srvtoolu_1',
    name: 'web_search',
    input: { query: 'ferry' },
  } as const;
  const citation = {
    type: 'web_search_result_location',
    cited_text: 'The ferry leaves at nine.',
    encrypted_index: 'Eo8BCioI==',
    title: 'Ferries\n<b>',
    url: 'https://ferry.example/times',
  } as const;
  const content: Anthropic.ContentBlockParam[] = [
    { type: 'text', text: 'I look.' },
    { ...used, caller: { type: 'direct' } },
    {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      caller: { type: 'direct' },
      content: [
        {
          type: 'web_search_result',
          url: 'https://ferry.example/times',
          title: 'Ferries',
          encrypted_content: 'EqgfCioI==',
          page_age: null,
        },
      ],
    },
    { type: 'text', text: 'It leaves ' },
    {
      type: 'text',
      text: 'at nine',
      citations: [citation, { ...citation, url: 'javascript:alert(1)' }, citation],
    },
    { type: 'text', text: '.' },
  ];
  const usage = { input_tokens: 900, output_tokens: 50, server_tool_use: { web_search_requests: 2 } };
  const request = ask('When?', { tools: [ferry, search] });
  const whole = { body: { content, stop_reason: 'end_turn', usage } };
  const streamed = events([
    { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1 } } },
    ...content.flatMap((block, index): object[] => {
      const start = { type: 'content_block_start', index };
      const delta = (part: object) => ({ type: 'content_block_delta', index, delta: part });
      if (block.type === 'web_search_tool_result') return [{ ...start, content_block: block }];
      if (block.type === 'server_tool_use') {
        return [
          { ...start, content_block: { ...block, input: {} } },
          delta({ type: 'input_json_delta', partial_json: '{"query":' }),
          delta({ type: 'input_json_delta', partial_json: '"ferry"}' }),
        ];
      }
      if (block.type !== 'text') return [];
      return [
        { ...start, content_block: { type: 'text', text: '' } },
        ...(block.citations ?? []).map((each) => delta({ type: 'citations_delta', citation: each })),
        delta({ type: 'text_delta', text: block.text }),
      ];
    }),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    { type: 'message_stop' },
  ]);
  const text = 'I look.\n\nIt leaves at nine.';

  test('with the tool of its own, so many times at most', () => {
    const { tools }: Partial<Anthropic.MessageCreateParamsNonStreaming> = toAnthropic(request);
    expect(tools).toEqual([
      { name: 'ferry', description: 'Books.', input_schema: parameters },
      {
        type: 'web_search_20250305',
        name: 'web_search',
        max_uses: 5,
        cache_control: { type: 'ephemeral' },
      },
    ]);
  });

  test.each([
    ['whole', whole, ''],
    ['as a stream', streamed, text],
  ])('and answers %s with what it cites, and what goes back unchanged', async (_, reply, told) => {
    const found = await exchange(createAnthropicModel, request, reply);
    expect(found.told).toBe(told);
    expect(found.answer).toMatchObject({
      text,
      calls: [],
      stopReason: 'end',
      usage: { inputTokens: 900, outputTokens: 50, searches: 2 },
      sources: [{ title: 'Ferries <b>', url: 'https://ferry.example/times' }],
    });
    const { messages } = toAnthropic(ask('', { tools: [search], messages: after(found.answer) }));
    expect(messages[1]).toEqual({ role: 'assistant', content });
  });

  describe('and pauses among them', () => {
    const [said, searching, found, ...rest] = content;
    const first = { body: { content: [said, searching], stop_reason: 'pause_turn', usage } };
    const second = {
      body: {
        content: [found, ...rest],
        stop_reason: 'end_turn',
        usage: { input_tokens: 1_000, output_tokens: 30, server_tool_use: { web_search_requests: 1 } },
      },
    };
    const paused = { ...request, maxTokens: 400, stream: false as const };
    const replying = async (replies: Reply[]) => {
      const server = await startModelServer(replies);
      onTestFinished(server.close);
      const model = createAnthropicModel({ baseUrl: server.url, apiKey: 'a-key', fetch });
      return { server, answer: model.send(paused, running) };
    };

    test('is sent what it has said as it came, and all of it is one answer', async () => {
      const { server, answer } = await replying([first, second]);
      expect(await answer).toMatchObject({
        text,
        stopReason: 'end',
        usage: { inputTokens: 1_900, outputTokens: 80, searches: 3 },
        sources: [{ title: 'Ferries <b>', url: 'https://ferry.example/times' }],
      });
      const [one, two] = server.requests.map(({ body }) => v.parse(Body, body));
      expect([one?.max_tokens, two?.max_tokens]).toEqual([400, 350]);
      expect(two?.messages).toEqual([
        ...(one?.messages ?? []),
        { role: 'assistant', content: [said, searching] },
      ]);
      const { messages } = toAnthropic(ask('', { tools: [search], messages: after(await answer) }));
      expect(messages[1]).toEqual({ role: 'assistant', content });
    });

    test('is paid for where it then fails', async () => {
      const { answer } = await replying([first, { status: 529, body: {} }]);
      await expect(answer).rejects.toMatchObject({
        category: 'overloaded',
        details: { spent: { inputTokens: 900, outputTokens: 50, searches: 2 } },
      });
    });

    test('for ever is left at what it has said', async () => {
      const { server, answer } = await replying([first, first, first, first]);
      expect(await answer).toMatchObject({ stopReason: 'other', usage: { outputTokens: 200, searches: 8 } });
      expect(server.requests).toHaveLength(4);
    });
  });

  test('but no search goes back that has not ended, and none to another model', async () => {
    const cut = { body: { content: content.slice(0, 2), stop_reason: 'max_tokens', usage } };
    const { answer } = await exchange(createAnthropicModel, request, cut);
    expect(answer.providerContent).toBeUndefined();
    const ended = await exchange(createAnthropicModel, request, whole);
    const other = toAnthropic(ask('', { model: 'other', messages: after(ended.answer) }));
    expect(other.messages[1]).toEqual({ role: 'assistant', content: [{ type: 'text', text }] });
  });
});

describe('OpenAI searches', () => {
  const output = [
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAB==' },
    {
      type: 'web_search_call',
      id: 'ws_1',
      status: 'completed',
      action: { type: 'search', queries: ['ferry'] },
    },
    {
      type: 'web_search_call',
      id: 'ws_2',
      status: 'completed',
      action: { type: 'open_page', url: 'https://ferry.example/times' },
    },
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [
        {
          type: 'output_text',
          text: 'It leaves at nine.',
          logprobs: [],
          annotations: [
            {
              type: 'url_citation',
              start_index: 0,
              end_index: 2,
              title: 'Ferries',
              url: 'https://ferry.example/times',
            },
            { type: 'file_citation', file_id: 'f', filename: 'a', index: 0 },
          ],
        },
      ],
    },
  ] satisfies OpenAI.Responses.ResponseOutputItem[];
  const usage = { input_tokens: 900, output_tokens: 50 };
  const body = { status: 'completed', output, usage };
  const request = ask('When?', { model: 'gpt-4.1', tools: [ferry, search] });
  const streamed = events([
    ...output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
    { type: 'response.completed', response: body },
  ]);

  test('with the tool of its own, so many times at most', () => {
    const sent = toResponses(request);
    const tools: OpenAI.Responses.Tool[] | undefined = sent.tools;
    const most: OpenAI.Responses.ResponsesClientEvent['max_tool_calls'] = sent.max_tool_calls ?? null;
    expect({ tools, most }).toEqual({
      tools: [
        { type: 'function', name: 'ferry', description: 'Books.', parameters, strict: false },
        { type: 'web_search' },
      ],
      most: 5,
    });
    // Functions are calls of an agent, and have limits of their own.
    expect(toResponses(ask('x', { tools: [ferry] }))).not.toHaveProperty('max_tool_calls');
  });

  test.each([
    ['whole', { body }],
    ['as a stream', streamed],
  ])('and answers %s with what it cites, and what goes back unchanged', async (_, reply) => {
    const { answer } = await exchange(createOpenAIModel, request, reply);
    expect(answer).toMatchObject({
      text: 'It leaves at nine.',
      calls: [],
      stopReason: 'end',
      usage: { inputTokens: 900, outputTokens: 50, searches: 1 },
      sources: [{ title: 'Ferries', url: 'https://ferry.example/times' }],
    });
    const { input } = toResponses(ask('', { tools: [search], messages: after(answer) }));
    expect(input.slice(1, -1)).toEqual(output);
  });

  test('but nothing goes back where a thought is missing that led to it, or none was asked for', async () => {
    const [thought, ...rest] = output;
    const unreadable = { ...thought, encrypted_content: undefined };
    const lost = await exchange(createOpenAIModel, request, {
      body: { ...body, output: [unreadable, ...rest] },
    });
    expect(lost.answer.providerContent).toBeUndefined();
    const unasked = ask('When?', { model: 'gpt-4.1', api: 'responses', tools: [ferry] });
    const { answer } = await exchange(createOpenAIModel, unasked, { body });
    expect(answer.providerContent).toBeUndefined();
  });
});
