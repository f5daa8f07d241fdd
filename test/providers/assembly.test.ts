import { describe, expect, test } from 'vitest';
import type { Delta, OnDelta } from '../../src/core/model/model.ts';
import type { Assembly } from '../../src/providers/assembly.ts';
import { createAssembly as anthropic } from '../../src/providers/anthropic/assembly.ts';
import { createAssembly as bedrock } from '../../src/providers/bedrock/assembly.ts';
import { createAssembly as ollama } from '../../src/providers/ollama/assembly.ts';
import { createAssembly as chat } from '../../src/providers/openai/chat/assembly.ts';
import { createAssembly as responses } from '../../src/providers/openai/responses/assembly.ts';

/** What is told of each part: `text:…`, `thinking:…` or `alive`; and whether the answer is whole after it. */
function assembled(create: (onDelta?: OnDelta) => Assembly, parts: readonly object[]) {
  const heard: string[] = [];
  const toText = (delta: Delta) => ('text' in delta ? `${delta.type}:${delta.text}` : delta.type);
  const assembly = create((delta) => heard.push(toText(delta)));
  const told = parts.map((part) => {
    assembly.add(part);
    return `${heard.splice(0).join(' ')}${assembly.isWhole() ? '.' : ''}`;
  });
  // Nobody has to listen.
  const unheard = create();
  for (const part of parts) unheard.add(part);
  expect(unheard.answer()).toEqual(assembly.answer());
  return { told, answer: assembly.answer() };
}

describe('a stream of Chat Completions', () => {
  const choice = (delta: object | null, finish_reason: string | null = null) => ({
    choices: [{ delta, finish_reason }],
  });
  const call = (...tool_calls: object[]) => choice({ tool_calls });
  const message = { content: '', refusal: '', reasoning_content: '', reasoning_details: [], tool_calls: [] };

  test('is texts, refusals and thoughts under all of their names', () => {
    const parts = [
      choice({ content: 'a' }),
      choice({ refusal: 'b' }),
      choice({ reasoning_content: 'c' }),
      choice({ reasoning: 'd' }),
      choice({
        content: [
          { type: 'thinking', thinking: 'e' },
          { type: 'thinking', thinking: [{ type: 'text', text: 'f' }] },
          { type: 'text', text: 'g' },
        ],
      }),
      choice(null),
      { choices: [], usage: { prompt_tokens: 1 } },
      choice({}, 'stop'),
      { choices: null, usage: null, service_tier: 'flex' },
    ];
    expect(assembled(chat, parts)).toEqual({
      told: [
        'text:a',
        'text:b',
        'thinking:c',
        'thinking:d',
        'text:g thinking:ef',
        'alive',
        'alive',
        'alive.',
        'alive.',
      ],
      answer: {
        choices: [
          {
            message: { ...message, content: 'ag', refusal: 'b', reasoning_content: 'c' },
            finish_reason: 'stop',
          },
        ],
        usage: { prompt_tokens: 1 },
        service_tier: 'flex',
      },
    });
  });

  test.each<[string, object[], object[]]>([
    [
      'with numbers, in turn',
      [
        { index: 0, id: 'a', type: 'function', function: { name: 'x', arguments: '' } },
        { index: 1, id: 'b', function: { name: 'y', arguments: '[' } },
        { index: 0, function: { arguments: '{' } },
        { index: 1, function: { arguments: ']' } },
        { index: 0, id: 'a', function: { name: 'z', arguments: '}' } },
      ],
      [
        { id: 'a', type: 'function', function: { name: 'x', arguments: '{}' } },
        { id: 'b', function: { name: 'y', arguments: '[]' } },
      ],
    ],
    [
      'with one number, and ids of their own',
      [
        { index: 0, id: 'a', function: { name: 'x', arguments: '1' } },
        { index: 0, id: 'b', function: { name: 'x', arguments: '2' } },
        { index: 0, function: { arguments: '3' } },
      ],
      [
        { id: 'a', function: { name: 'x', arguments: '1' } },
        { id: 'b', function: { name: 'x', arguments: '23' } },
      ],
    ],
    [
      'without numbers, by their names',
      [
        { function: { name: 'x', arguments: '1' } },
        { function: { arguments: '2' } },
        { index: null, function: { name: 'y', arguments: '3' } },
      ],
      [
        { id: '', function: { name: 'x', arguments: '12' } },
        { id: '', function: { name: 'y', arguments: '3' } },
      ],
    ],
    [
      'whose id or name comes later',
      [
        { index: 0, id: null },
        { index: 0, id: 'a' },
        { index: 0, function: null },
        { function: { name: 'x' } },
      ],
      [{ id: 'a', function: { name: 'x', arguments: '' } }],
    ],
    [
      'with arguments that are no text, and with more',
      [
        { index: 0, id: 'a', extra_content: { sign: 1 }, function: { name: 'x', arguments: { b: 1 } } },
        { index: 0, function: { arguments: null } },
        { index: 1, id: 'c', type: 'custom', function: { name: 'y', arguments: '1' } },
        { index: 1, extra_content: 2, function: { arguments: { d: 1 } } },
        { index: 1, function: { arguments: '2' } },
      ],
      [
        { id: 'a', extra_content: { sign: 1 }, function: { name: 'x', arguments: { b: 1 } } },
        { id: 'c', type: 'custom', extra_content: 2, function: { name: 'y', arguments: '2' } },
      ],
    ],
  ])('has calls %s', (_, parts, tool_calls) => {
    const { told, answer } = assembled(
      chat,
      parts.map((part) => call(part)),
    );
    expect(told).toEqual(parts.map(() => 'alive'));
    expect(answer).toEqual({ choices: [{ message: { ...message, tool_calls }, finish_reason: '' }] });
  });

  test('has details of thoughts, whose neighbours of one kind and number are one', () => {
    const detail = (...reasoning_details: object[]) => choice({ reasoning_details });
    const parts = [
      detail({ type: 'reasoning.text', index: 0, text: 'a', signature: null }),
      detail(
        { type: 'reasoning.text', index: 0, text: 'b', signature: 'c' },
        { type: 'reasoning.text', index: 1, text: 'd' },
      ),
      detail({ type: 'reasoning.summary', index: 1, summary: 'e' }),
      detail({ type: 'reasoning.summary', index: 1, summary: 'f', id: 'g', format: undefined }),
      detail(
        { type: 'reasoning.encrypted', index: 1, data: 'h' },
        { type: 'reasoning.encrypted', index: 1, data: 'i' },
      ),
      detail({ type: 'reasoning.text', index: 2 }, { type: 'reasoning.text', index: 2, text: 'j' }),
      detail({ type: 'reasoning.text', index: 2, text: 1, summary: 'k' }),
    ];
    expect(assembled(chat, parts).answer).toMatchObject({
      choices: [
        {
          message: {
            reasoning_details: [
              { type: 'reasoning.text', index: 0, text: 'ab', signature: 'c' },
              { type: 'reasoning.text', index: 1, text: 'd' },
              { type: 'reasoning.summary', index: 1, summary: 'ef', id: 'g' },
              { type: 'reasoning.encrypted', index: 1, data: 'h' },
              { type: 'reasoning.encrypted', index: 1, data: 'i' },
              { type: 'reasoning.text', index: 2, text: 1, summary: 'k' },
            ],
          },
        },
      ],
    });
  });

  test('ends with an error, in whatever form', () => {
    const fault = { message: 'no' };
    expect([
      assembled(chat, [{ error: fault }]),
      assembled(chat, [{ object: 'error', message: 'no' }, choice({ content: 'a' })]),
    ]).toEqual([
      { told: ['alive.'], answer: { choices: [], error: fault } },
      {
        told: ['alive.', 'text:a.'],
        answer: {
          choices: [{ message: { ...message, content: 'a' }, finish_reason: '' }],
          error: { object: 'error', message: 'no' },
        },
      },
    ]);
  });

  test('ends with its last mark too', () => {
    const assembly = chat();
    expect(assembly.isWhole()).toBe(false);
    assembly.end?.();
    expect([assembly.isWhole(), assembly.answer()]).toEqual([true, { choices: [] }]);
  });
});

describe('a stream of Responses', () => {
  const delta = (type: string, text: unknown, output_index = 0, summary_index?: number) => ({
    type: `response.${type}.delta`,
    delta: text,
    output_index,
    summary_index,
  });
  const begin = (output_index: number, item: unknown) => ({
    type: 'response.output_item.added',
    output_index,
    item,
  });
  const done = (item: object) => ({ type: 'response.output_item.done', item });
  const completed = { type: 'response.completed', response: { id: 'r', output: [] } };
  const commentary = begin(0, { type: 'message', phase: 'commentary' });

  test('is texts and thoughts, with a blank line between paragraphs of one kind', () => {
    const parts = [
      delta('reasoning_summary_text', 'a', 0, 0),
      delta('reasoning_summary_text', 'b', 0, 0),
      delta('reasoning_summary_text', 'c', 0, 1),
      delta('reasoning_text', 'd', 1, 1),
      delta('output_text', 'e', 2),
      delta('output_text', 'f', 2),
      delta('refusal', 'g', 3),
      delta('output_text', '', 3),
      delta('output_text', 1, 3),
      delta('function_call_arguments', 'h', 3),
      done({ type: 'message' }),
      completed,
    ];
    const told = [
      'thinking:a',
      'thinking:b',
      'thinking:\n\nc',
      'thinking:\n\nd',
      'text:e',
      'text:f',
      'text:\n\ng',
    ];
    expect(assembled(responses, parts)).toEqual({
      told: [...told, 'alive', 'alive', 'alive', 'alive', 'alive.'],
      answer: { id: 'r', output: [{ type: 'message' }] },
    });
  });

  test.each<[string, object[], string[]]>([
    ['the text where a call follows', [begin(1, { type: 'function_call' })], ['alive text:a text:\n\nb']],
    [
      'a thought where the answer follows',
      [begin(1, { type: 'message' })],
      ['alive thinking:a thinking:\n\nb'],
    ],
    [
      'the text where nothing follows',
      [begin(1, { type: 'reasoning' }), completed],
      ['alive', 'alive text:a text:\n\nb.'],
    ],
    ['held where what follows is nothing', [begin(1, null)], ['alive']],
  ])('has commentary, which is %s', (_, parts, told) => {
    const said = [
      commentary,
      delta('output_text', 'a'),
      delta('output_text', 'b', 0, 1),
      delta('reasoning_text', 'c'),
    ];
    expect(assembled(responses, [...said, ...parts]).told).toEqual([
      'alive',
      'alive',
      'alive',
      'thinking:c',
      ...told,
    ]);
  });

  test('has commentary after the answer, which is a thought', () => {
    const parts = [
      begin(1, { type: 'message', phase: null }),
      commentary,
      delta('output_text', 'a'),
      completed,
    ];
    expect(assembled(responses, parts).told).toEqual(['alive', 'alive', 'alive', 'alive thinking:a.']);
  });

  test.each([
    [
      { type: 'error', error: { message: 'no' } },
      { error: { message: 'no' }, output: [] },
    ],
    [
      { type: 'error', message: 'no', code: 'x' },
      { error: { message: 'no', code: 'x' }, output: [] },
    ],
    [
      { type: 'response.failed', response: { error: 1, output: [2] } },
      { error: 1, output: [2] },
    ],
    [{ type: 'response.incomplete', response: { output: 3 } }, { output: 3 }],
    [{ type: 'response.completed' }, { output: [] }],
  ])('ends with %j', (part, answer) => {
    expect(assembled(responses, [part])).toEqual({ told: ['alive.'], answer });
    expect(responses().answer()).toEqual({ output: [] });
  });
});

test('a stream of Ollama ends with its counts, or an error', () => {
  const parts = [
    { message: { content: 'a', thinking: null } },
    { message: { thinking: 'b', tool_calls: [1] } },
    { message: null, done: false, model: 'm' },
    { message: { content: 'c', tool_calls: [2] }, done: true, eval_count: 1 },
  ];
  expect(assembled(ollama, parts)).toEqual({
    told: ['text:a', 'thinking:b', 'alive', 'text:c.'],
    answer: { eval_count: 1, message: { content: 'ac', tool_calls: [1, 2] } },
  });
  expect(assembled(ollama, [{ error: 'no' }])).toEqual({
    told: ['alive.'],
    answer: { error: 'no', message: { content: '', tool_calls: [] } },
  });
});

test('a stream of Messages is blocks, each by its number', () => {
  const start = (index: number, content_block: object) => ({
    type: 'content_block_start',
    index,
    content_block,
  });
  const delta = (index: number, more: object) => ({ type: 'content_block_delta', index, delta: more });
  const parts = [
    { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } },
    start(0, { type: 'thinking', thinking: 'a', signature: '' }),
    delta(0, { thinking: 'b' }),
    delta(0, { signature: 'c' }),
    start(1, { type: 'text', text: 'd' }),
    delta(1, { text: 'e' }),
    delta(1, { citation: { url: 'f' } }),
    start(2, { type: 'tool_use', id: 'g', input: {} }),
    delta(2, { partial_json: '{"h":' }),
    delta(2, { partial_json: '1}' }),
    start(3, { type: 'tool_use', id: 'i', input: {} }),
    delta(9, { text: 'nowhere' }),
    { type: 'ping' },
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use' },
      usage: { output_tokens: 7, input_tokens: null },
    },
    { type: 'message_stop' },
  ];
  const { told, answer } = assembled(anthropic, parts);
  expect(told).toEqual([
    'alive',
    'thinking:a',
    'thinking:b',
    'alive',
    'text:d',
    'text:e',
    'alive',
    'alive',
    'alive',
    'alive',
    'alive',
    '',
    'alive',
    'alive',
    'alive.',
  ]);
  expect(answer).toEqual({
    content: [
      { type: 'thinking', thinking: 'ab', signature: 'c' },
      { type: 'text', text: 'de', citations: [{ url: 'f' }] },
      { type: 'tool_use', id: 'g', input: { h: 1 } },
      { type: 'tool_use', id: 'i', input: {} },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 5, output_tokens: 7 },
  });
  expect(assembled(anthropic, [...parts.slice(0, 1), { type: 'error', error: 'no' }])).toEqual({
    told: ['alive', 'alive.'],
    answer: {
      content: [],
      stop_reason: undefined,
      usage: { input_tokens: 5, output_tokens: undefined },
      error: 'no',
    },
  });
});

test('a stream of Converse ends once its counts have come', () => {
  const delta = (contentBlockIndex: number, more: object) => ({
    contentBlockDelta: { contentBlockIndex, delta: more },
  });
  const start = (contentBlockIndex: number, toolUse: object) => ({
    contentBlockStart: { contentBlockIndex, start: { toolUse } },
  });
  const parts = [
    delta(0, { reasoningContent: { text: 'a' } }),
    delta(0, { reasoningContent: { text: 'b', signature: 'c' } }),
    delta(1, { reasoningContent: { redactedContent: 'ZA==' } }),
    delta(2, { text: 'e' }),
    delta(2, { text: 'f' }),
    start(3, { toolUseId: 'g', name: 'x' }),
    delta(3, { toolUse: { input: '{"h"' } }),
    delta(3, { toolUse: { input: ':1}' } }),
    start(4, { toolUseId: 'i', name: 'y' }),
    { messageStop: { stopReason: 'tool_use' } },
    { metadata: { usage: { inputTokens: 1 }, trace: { guardrail: 1 } } },
    { metadata: {} },
  ];
  expect(assembled(bedrock, parts)).toEqual({
    told: [
      'thinking:a',
      'thinking:b',
      'alive',
      'text:e',
      'text:f',
      'alive',
      'alive',
      'alive',
      'alive',
      'alive',
      'alive.',
      'alive.',
    ],
    answer: {
      output: {
        message: {
          content: [
            { reasoningContent: { reasoningText: { text: 'ab', signature: 'c' } } },
            { reasoningContent: { redactedContent: 'ZA==' } },
            { text: 'ef' },
            { toolUse: { toolUseId: 'g', name: 'x', input: { h: 1 } } },
            { toolUse: { toolUseId: 'i', name: 'y', input: {} } },
          ],
        },
      },
      stopReason: 'tool_use',
      usage: { inputTokens: 1 },
      trace: { guardrail: 1 },
    },
  });
});
