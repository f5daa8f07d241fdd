import type Anthropic from '@anthropic-ai/sdk';
import type { Message as BedrockMessage } from '@aws-sdk/client-bedrock-runtime';
import type { Message as OllamaMessage } from 'ollama';
import type OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { showingOf } from '../../src/core/attachments/showing.ts';
import { toAttachment } from '../../src/core/attachments/to-attachment.ts';
import type { ModelRequest } from '../../src/core/model/model.ts';
import { textName, type Attachment, type KeptFile } from '../../src/core/records/attachment.ts';
import type { Message } from '../../src/core/records/message.ts';
import { toRequest as toAnthropic } from '../../src/providers/anthropic/to-request.ts';
import { withFiles } from '../../src/providers/attachments.ts';
import { toRequest as toBedrock } from '../../src/providers/bedrock/to-request.ts';
import { createOllamaModel } from '../../src/providers/ollama/ollama.ts';
import { toRequest as toOllama } from '../../src/providers/ollama/to-request.ts';
import { toRequest as toChat } from '../../src/providers/openai/chat/to-request.ts';
import { toRequest as toResponses } from '../../src/providers/openai/responses/to-request.ts';
import { pdf, png } from '../fixtures/images.ts';
import { startModelServer } from '../fixtures/model-server.ts';
import { ask, callAgent, running } from './requests.ts';

const files = new Map<string, KeptFile>();
const keep = (bytes: Buffer): Attachment => {
  const { attachment } = toAttachment(bytes);
  files.set(attachment.hash, { data: bytes.toString('base64') });
  return attachment;
};
const chart = png(1200, 800);
const invoice = pdf('Total: 42');
const CHART = keep(chart);
const INVOICE = keep(invoice);
files.set(textName(INVOICE.hash), { data: 'Total: 42' });
const DATA = { chart: chart.toString('base64'), invoice: invoice.toString('base64') };

/** A prompt with an image and a document, and a call with an image and a document in its result. */
const MESSAGES: Message[] = [
  { role: 'user', text: 'What is this?', attachments: [CHART, INVOICE] },
  { role: 'assistant', text: '', calls: [{ id: 'one', name: 'call_agent', arguments: {} }] },
  {
    role: 'tool',
    results: [
      { callId: 'one', name: 'call_agent', text: 'See.', isError: false, attachments: [CHART, INVOICE] },
    ],
  },
];

const requestTo = (model: string, messages = MESSAGES, images?: boolean): ModelRequest => {
  const showing = showingOf(
    { model, root: 'top', ...(images !== undefined && { images }) },
    { attachment: async (_, name) => files.get(name), opened: async () => undefined },
  );
  return ask('', { model: model.slice(model.indexOf('/') + 1), messages, tools: [callAgent], showing });
};
const shown = async (model: string, images?: boolean) => withFiles(requestTo(model, MESSAGES, images));

describe('attachments', () => {
  test('are blocks of messages and of results for Anthropic', async () => {
    const { messages } = toAnthropic(await shown('anthropic/claude-sonnet-4-5'));
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: DATA.chart },
    } as const;
    const document = {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: DATA.invoice },
    } as const;
    const published: Anthropic.MessageParam[] = [
      {
        role: 'user',
        content: [
          image,
          document,
          { type: 'text', text: 'What is this?', cache_control: { type: 'ephemeral' } },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'one', name: 'call_agent', input: {} }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'one',
            content: [{ type: 'text', text: 'See.' }, image, document],
            is_error: false,
            cache_control: { type: 'ephemeral' },
          },
        ],
      },
    ];
    expect(messages).toEqual(published);
  });

  test('of a result that is an error come after it for Anthropic, which has no more than text in it', async () => {
    const failed = (message: Message): Message =>
      message.role === 'tool'
        ? { ...message, results: message.results.map((one) => ({ ...one, isError: true })) }
        : message;
    const request = await withFiles(requestTo('anthropic/claude-sonnet-4-5', MESSAGES.map(failed)));
    const source = { type: 'base64', media_type: 'image/png', data: DATA.chart };
    const invoiced = { type: 'base64', media_type: 'application/pdf', data: DATA.invoice };
    expect(toAnthropic(request).messages.at(-1)?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'one', content: 'See.', is_error: true },
      { type: 'image', source },
      { type: 'document', source: invoiced, cache_control: { type: 'ephemeral' } },
    ]);
  });

  test('are bytes for Bedrock, those of results after them, with a text and names of their own', async () => {
    const { messages } = toBedrock(await shown('bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0'));
    const image = { image: { format: 'png', source: { bytes: chart } } } as const;
    const document = (name: string) =>
      ({ document: { format: 'pdf', name, source: { bytes: invoice } } }) as const;
    const published: BedrockMessage[] = [
      {
        role: 'user',
        content: [
          image,
          document('document 1'),
          { text: 'What is this?' },
          { cachePoint: { type: 'default' } },
        ],
      },
      {
        role: 'assistant',
        content: [{ toolUse: { toolUseId: 'one', name: 'call_agent', input: {} } }],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'one', content: [{ text: 'See.' }], status: 'success' } },
          image,
          document('document 2'),
          { text: '[Attached to the results of call_agent]' },
          { cachePoint: { type: 'default' } },
        ],
      },
    ];
    expect(messages).toEqual(published);
  });

  test('are parts of messages and of outputs in Responses', async () => {
    const { input } = toResponses(await shown('openai/gpt-5'));
    const image = {
      type: 'input_image',
      image_url: `data:image/png;base64,${DATA.chart}`,
      detail: 'auto',
    } as const;
    const document = {
      type: 'input_file',
      filename: 'document.pdf',
      file_data: `data:application/pdf;base64,${DATA.invoice}`,
    } as const;
    const published: OpenAI.Responses.ResponseInputItem[] = [
      {
        type: 'message',
        role: 'user',
        content: [image, document, { type: 'input_text', text: 'What is this?' }],
      },
      { type: 'function_call', call_id: 'one', name: 'call_agent', arguments: '{}' },
      {
        type: 'function_call_output',
        call_id: 'one',
        output: [image, document, { type: 'input_text', text: 'See.' }],
      },
    ];
    expect(input).toEqual(published);
  });

  test('of results follow as a message of the user in Chat Completions, whose results are texts', async () => {
    const { messages } = toChat(await shown('openai/gpt-4o'), 'https://api.openai.com');
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${DATA.chart}` } } as const;
    const document = {
      type: 'file',
      file: { filename: 'document.pdf', file_data: `data:application/pdf;base64,${DATA.invoice}` },
    } as const;
    const published: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'user', content: [image, document, { type: 'text', text: 'What is this?' }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'one', type: 'function', function: { name: 'call_agent', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'one', content: 'See.' },
      {
        role: 'user',
        content: [image, document, { type: 'text', text: '[Attached to the results of call_agent]' }],
      },
    ];
    expect(messages).toEqual(published);
  });

  test('of results are words for servers that take no message of the user after results', async () => {
    const { messages } = toChat(await shown('mistral/pixtral-large-latest'), '', true);
    expect(messages.slice(-1)).toEqual([
      {
        role: 'tool',
        tool_call_id: '7692c3ad3',
        content:
          'See.\n\n[application/pdf, 1 page, 584 bytes]\n\nTotal: 42\n\n[image/png, which this server is not shown]',
      },
    ]);
  });

  test('are images for a model of Ollama that sees, and the text of a document', async () => {
    const { messages } = toOllama(await shown('ollama/llava', true));
    const document = '[application/pdf, 1 page, 584 bytes]\n\nTotal: 42';
    const published: OllamaMessage[] = [
      { role: 'user', content: `What is this?\n\n${document}`, images: [DATA.chart] },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ function: { name: 'call_agent', arguments: {} } }],
      },
      { role: 'tool', content: `See.\n\n${document}`, tool_name: 'call_agent' },
      { role: 'user', content: '[Attached to the results of call_agent]', images: [DATA.chart] },
    ];
    expect(messages).toEqual(published);
  });

  test('are words for a model that cannot see', async () => {
    const { messages } = await shown('groq/llama-3.3-70b');
    const words = '[image/png, 1200 x 800, 64 bytes]\n\n[application/pdf, 1 page, 584 bytes]\n\nTotal: 42';
    expect(messages).toEqual([
      { role: 'user', text: `What is this?\n\n${words}`, attachments: [] },
      MESSAGES[1],
      {
        role: 'tool',
        results: [
          { callId: 'one', name: 'call_agent', text: `See.\n\n${words}`, isError: false, attachments: [] },
        ],
      },
    ]);
  });

  test('that are too large for a model are words', async () => {
    const wide = keep(png(9000, 10));
    const request = requestTo('anthropic/claude-sonnet-4-5', [
      { role: 'user', text: 'Look.', attachments: [wide, CHART] },
    ]);
    expect((await withFiles(request)).messages).toEqual([
      {
        role: 'user',
        text: 'Look.\n\n[image/png, 9000 x 10, 64 bytes, too large for this model]',
        attachments: [CHART],
      },
    ]);
  });

  test('that were deleted are an error', async () => {
    const gone = { ...CHART, hash: '0'.repeat(64) };
    const request = requestTo('anthropic/claude-sonnet-4-5', [
      { role: 'user', text: 'Look.', attachments: [gone] },
    ]);
    await expect(withFiles(request)).rejects.toThrow(`has been deleted (${gone.hash})`);
  });
});

describe('a model of Ollama', () => {
  const done = { message: { role: 'assistant', content: 'Done.' }, done_reason: 'stop' };

  test.each([
    ['sees, as its server says', { capabilities: ['completion', 'vision'] }, [DATA.chart]],
    ['does not', { capabilities: ['completion'] }, undefined],
    ['is of a server that does not say', {}, undefined],
  ])('%s', async (_, capabilities, images) => {
    const server = await startModelServer([{ body: capabilities }, { body: done }, { body: done }]);
    onTestFinished(() => server.close());
    const model = createOllamaModel({ baseUrl: server.url, fetch });
    const request = requestTo('ollama/gemma3', [{ role: 'user', text: 'Look.', attachments: [CHART] }]);
    await model.send(request, running);
    await model.send(request, running);
    const paths = server.requests.map(({ path, body }) => [path, JSON.stringify(body).includes(DATA.chart)]);
    expect(server.requests[0]?.body).toEqual({ model: 'gemma3' });
    const sent = images !== undefined;
    expect(paths).toEqual([
      ['/api/show', false],
      ['/api/chat', sent],
      ['/api/chat', sent],
    ]);
  });
});
