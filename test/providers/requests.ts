import type { ModelRequest } from '../../src/core/model/model.ts';
import type { ToolDefinition } from '../../src/core/records/message.ts';

export const running = new AbortController().signal;

/** The part of a body beside its request that asks for a stream. */
export const STREAMED = { stream: true };
export const STREAMED_CHAT = { stream: true, stream_options: { include_usage: true } };

/** A request with nothing but a prompt. */
export function ask(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'test-model',
    system: '',
    messages: [{ role: 'user', text }],
    tools: [],
    maxTokens: 0,
    ...more,
  };
}

export const callAgent: ToolDefinition = {
  name: 'call_agent',
  description: 'Delegate a task',
  parameters: {
    type: 'object',
    properties: {
      agent: { type: 'string', description: 'Name of the sub-agent to invoke (must be one of: ada, bob)' },
      task: { type: 'string', description: 'What to do' },
    },
    required: ['agent', 'task'],
  },
};

/** A conversation with every kind of message: text and calls, calls alone, nothing at all, results out of order. */
export const conversation: ModelRequest = {
  model: 'test-model',
  system: 'You are terse.',
  temperature: 0.5,
  maxTokens: 100,
  tools: [callAgent],
  messages: [
    { role: 'user', text: 'Begin.' },
    {
      role: 'assistant',
      text: 'I ask both.',
      calls: [
        { id: 'one', name: 'call_agent', arguments: { agent: 'ada', task: 'count', depth: 2 } },
        { id: 'two', name: 'call_agent', arguments: {} },
      ],
    },
    {
      role: 'tool',
      results: [
        {
          callId: 'two',
          name: 'call_agent',
          text: 'call_agent error: "agent" argument is required',
          isError: true,
        },
        { callId: 'one', name: 'call_agent', text: '42', isError: false },
      ],
    },
    { role: 'assistant', text: '', calls: [] },
    { role: 'user', text: 'Go on.' },
    { role: 'assistant', text: '', calls: [{ id: 'one', name: 'call_agent', arguments: { agent: 'bob' } }] },
    { role: 'tool', results: [{ callId: 'one', name: 'call_agent', text: '43', isError: false }] },
  ],
};
