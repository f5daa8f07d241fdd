import { toEventStream } from '../fixtures/event-stream.ts';

/** An answer as a model gives it, to be written whole and as a stream in the words of each API. */
export interface Spoken {
  /** The model's first thoughts; "" for none. */
  thought: string;
  text: string;
  calls: { id: string; name: string; input: Record<string, unknown> }[];
  /** How many characters a piece of the stream has. */
  pieceLength: number;
}

export interface Stream {
  contentType: string;
  bytes: Uint8Array;
}

export interface Speech {
  whole(spoken: Spoken): object;
  stream(spoken: Spoken): Stream;
  /** A stream with these parts, as they are. */
  ofParts(parts: readonly object[]): Stream;
  /** The parts of a stream that has not come to its end. */
  beginning: readonly object[];
}

const encoder = new TextEncoder();

function pieces(text: string, { pieceLength }: Spoken): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at += pieceLength) found.push(text.slice(at, at + pieceLength));
  return found;
}

/** Server-sent events, with the lines that an API adds. */
function toEvents(parts: readonly (object | string)[], named: boolean): Stream {
  const lines = parts.map((part) => {
    const data = typeof part === 'string' ? part : JSON.stringify(part);
    const name = typeof part === 'object' && 'type' in part ? `event: ${String(part.type)}\n` : '';
    return `${named ? name : ''}data: ${data}\n\n`;
  });
  return {
    contentType: 'text/event-stream; charset=utf-8',
    bytes: encoder.encode(`: a comment\n\n${lines.join('')}`),
  };
}

const anthropicCounts = { input_tokens: 700, cache_read_input_tokens: 200, cache_creation_input_tokens: 0 };

function anthropicBlocks({ thought, text, calls }: Spoken) {
  return [
    ...(thought === '' ? [] : [{ type: 'thinking', thinking: thought, signature: 'signed' }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
  ];
}

function anthropicParts(spoken: Spoken): object[] {
  const delta = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
  const blocks = anthropicBlocks(spoken).flatMap((block, index) => {
    const cut = (text: string) => pieces(text, spoken);
    const [start, deltas] =
      'thinking' in block
        ? [
            { type: 'thinking', thinking: '', signature: '' },
            [
              ...cut(block.thinking ?? '').map((thinking) => ({ type: 'thinking_delta', thinking })),
              { type: 'signature_delta', signature: 'signed' },
            ],
          ]
        : 'text' in block
          ? [{ type: 'text', text: '' }, cut(block.text ?? '').map((text) => ({ type: 'text_delta', text }))]
          : [
              { ...block, input: {} },
              cut(JSON.stringify('input' in block ? block.input : {})).map((partial_json) => ({
                type: 'input_json_delta',
                partial_json,
              })),
            ];
    return [
      { type: 'content_block_start', index, content_block: start },
      { type: 'ping' },
      ...deltas.map((each) => delta(index, each)),
      { type: 'content_block_stop', index },
    ];
  });
  return [
    {
      type: 'message_start',
      message: {
        type: 'message',
        content: [],
        stop_reason: null,
        usage: { ...anthropicCounts, output_tokens: 1 },
      },
    },
    ...blocks,
    {
      type: 'message_delta',
      delta: { stop_reason: stopOf(spoken, 'tool_use', 'end_turn'), stop_sequence: null },
      usage: { input_tokens: null, output_tokens: 50 },
    },
    { type: 'message_stop' },
  ];
}

function stopOf({ calls }: Spoken, withCalls: string, without: string): string {
  return calls.length > 0 ? withCalls : without;
}

const chatUsage = {
  usage: { prompt_tokens: 900, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 200 } },
};

function chatParts(spoken: Spoken): (object | string)[] {
  const part = (delta: object, finish_reason: string | null = null) => ({
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
    usage: null,
  });
  return [
    part({ role: 'assistant', content: '' }),
    ...pieces(spoken.thought, spoken).map((reasoning_content) => part({ reasoning_content })),
    ...pieces(spoken.text, spoken).map((content) => part({ content })),
    ...spoken.calls.flatMap(({ id, name, input }, index) => [
      part({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...pieces(JSON.stringify(input), spoken).map((json) =>
        part({ tool_calls: [{ index, function: { arguments: json } }] }),
      ),
    ]),
    part({}, stopOf(spoken, 'tool_calls', 'stop')),
    { object: 'chat.completion.chunk', choices: [], ...chatUsage },
    '[DONE]',
  ];
}

function responsesBody({ thought, text, calls }: Spoken) {
  return {
    status: 'completed',
    error: null,
    output: [
      ...(thought === ''
        ? []
        : [
            {
              type: 'reasoning',
              summary: [{ type: 'summary_text', text: thought }],
              encrypted_content: 'sealed',
            },
          ]),
      ...(text === ''
        ? []
        : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }]),
      ...calls.map(({ id, name, input }) => ({
        type: 'function_call',
        call_id: id,
        name,
        arguments: JSON.stringify(input),
      })),
    ],
    usage: { input_tokens: 900, output_tokens: 50, input_tokens_details: { cached_tokens: 200 } },
  };
}

function responsesParts(spoken: Spoken): object[] {
  const deltas = (type: string, text: string) =>
    pieces(text, spoken).map((delta, index) => ({ type, delta, sequence_number: index }));
  const response = responsesBody(spoken);
  return [
    { type: 'response.created', response: { status: 'in_progress', output: [], usage: null } },
    ...deltas('response.reasoning_summary_text.delta', spoken.thought),
    ...deltas('response.output_text.delta', spoken.text),
    ...spoken.calls.flatMap(({ input }) =>
      deltas('response.function_call_arguments.delta', JSON.stringify(input)),
    ),
    ...response.output.map((item) => ({ type: 'response.output_item.done', item })),
    { type: 'response.completed', response },
  ];
}

function ollamaParts(spoken: Spoken): object[] {
  const part = (message: object) => ({
    model: 'qwen3',
    message: { role: 'assistant', ...message },
    done: false,
  });
  return [
    ...pieces(spoken.thought, spoken).map((thinking) => part({ content: '', thinking })),
    ...pieces(spoken.text, spoken).map((content) => part({ content })),
    ...spoken.calls.map(({ id, name, input }) =>
      part({ content: '', tool_calls: [{ id, function: { name, arguments: input } }] }),
    ),
    {
      model: 'qwen3',
      message: { role: 'assistant', content: '' },
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 900,
      eval_count: 50,
    },
  ];
}

const toLines = (parts: readonly object[]): Stream => ({
  contentType: 'application/x-ndjson',
  bytes: encoder.encode(parts.map((part) => `${JSON.stringify(part)}\n`).join('')),
});

const bedrockUsage = {
  usage: { inputTokens: 700, outputTokens: 50, totalTokens: 950, cacheReadInputTokens: 200 },
};

function bedrockParts(spoken: Spoken): object[] {
  const { thought, text, calls } = spoken;
  let index = 0;
  const delta = (delta: object) => ({ contentBlockDelta: { contentBlockIndex: index, delta } });
  const stop = () => ({ contentBlockStop: { contentBlockIndex: index++ } });
  const parts: object[] = [{ messageStart: { role: 'assistant' } }];
  if (thought !== '') {
    parts.push(...pieces(thought, spoken).map((piece) => delta({ reasoningContent: { text: piece } })));
    parts.push(delta({ reasoningContent: { signature: 'signed' } }), stop());
  }
  if (text !== '') parts.push(...pieces(text, spoken).map((piece) => delta({ text: piece })), stop());
  for (const { id, name, input } of calls) {
    const start = { toolUse: { toolUseId: id, name } };
    parts.push({ contentBlockStart: { contentBlockIndex: index, start } });
    parts.push(
      ...pieces(JSON.stringify(input), spoken).map((json) => delta({ toolUse: { input: json } })),
      stop(),
    );
  }
  parts.push({ messageStop: { stopReason: stopOf(spoken, 'tool_use', 'end_turn') } });
  parts.push({ metadata: { ...bedrockUsage, metrics: { latencyMs: 7 } } });
  return parts;
}

const hello: Spoken = { thought: '', text: 'Hello there, you', calls: [], pieceLength: 5 };

/** By the names of `WIRES`. */
export const SPEECHES: Readonly<Record<string, Speech>> = {
  anthropic: {
    whole: (spoken) => ({
      content: anthropicBlocks(spoken),
      stop_reason: stopOf(spoken, 'tool_use', 'end_turn'),
      usage: { ...anthropicCounts, output_tokens: 50 },
    }),
    stream: (spoken) => toEvents(anthropicParts(spoken), true),
    ofParts: (parts) => toEvents(parts, true),
    beginning: anthropicParts(hello).slice(0, -3),
  },
  bedrock: {
    whole: ({ thought, text, calls, ...others }) => ({
      output: {
        message: {
          role: 'assistant',
          content: [
            ...(thought === ''
              ? []
              : [{ reasoningContent: { reasoningText: { text: thought, signature: 'signed' } } }]),
            ...(text === '' ? [] : [{ text }]),
            ...calls.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } })),
          ],
        },
      },
      stopReason: stopOf({ thought, text, calls, ...others }, 'tool_use', 'end_turn'),
      ...bedrockUsage,
    }),
    stream: (spoken) => toEventStream(bedrockParts(spoken)),
    ofParts: toEventStream,
    beginning: bedrockParts(hello).slice(0, -3),
  },
  ollama: {
    whole: ({ text, calls }) => ({
      message: {
        role: 'assistant',
        content: text,
        tool_calls: calls.map(({ id, name, input }) => ({ id, function: { name, arguments: input } })),
      },
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 900,
      eval_count: 50,
    }),
    stream: (spoken) => toLines(ollamaParts(spoken)),
    ofParts: toLines,
    beginning: ollamaParts(hello).slice(0, -1),
  },
  'openai chat': {
    whole: (spoken) => ({
      choices: [
        {
          message: {
            role: 'assistant',
            content: spoken.text || null,
            ...(spoken.thought !== '' && { reasoning_content: spoken.thought }),
            ...(spoken.calls.length > 0 && {
              tool_calls: spoken.calls.map(({ id, name, input }) => ({
                id,
                type: 'function',
                function: { name, arguments: JSON.stringify(input) },
              })),
            }),
          },
          finish_reason: stopOf(spoken, 'tool_calls', 'stop'),
        },
      ],
      ...chatUsage,
    }),
    stream: (spoken) => toEvents(chatParts(spoken), false),
    ofParts: (parts) => toEvents(parts, false),
    beginning: chatParts(hello)
      .slice(0, -3)
      .flatMap((part) => (typeof part === 'string' ? [] : [part])),
  },
  'openai responses': {
    whole: responsesBody,
    stream: (spoken) => toEvents(responsesParts(spoken), true),
    ofParts: (parts) => toEvents(parts, true),
    beginning: responsesParts(hello).slice(0, -2),
  },
};
