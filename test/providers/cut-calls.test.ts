import { describe, expect, test } from 'vitest';
import { answerOf, WIRES } from './wires.ts';

describe.each(Object.entries(WIRES))('an answer of %s that reached its limit of tokens', (name, wire) => {
  const writesText = name.startsWith('openai');

  test('is cut in its last call, and in no other', async () => {
    const { stopReason, calls, providerContent } = await answerOf(wire, {
      body: { ...wire.cut([{ a: 1 }, writesText ? '{"a": "half a te' : { a: 'half a te' }]), ...wire.usage },
    });
    expect({ stopReason, calls, providerContent }).toEqual({
      stopReason: 'max_tokens',
      calls: [
        { id: expect.any(String), name: 'f', arguments: { a: 1 } },
        { id: expect.any(String), name: 'f', arguments: writesText ? {} : { a: 'half a te' }, cut: true },
      ],
      providerContent: undefined,
    });
  });
});

test.each(['openai chat', 'openai responses'])(
  'an answer of %s is not cut in a call whose JSON is whole',
  async (name) => {
    const { calls } = await answerOf(wireOf(name), { body: wireOf(name).cut([{ a: 1 }, '{"a": 2}']) });
    expect(calls.map(({ cut }) => cut)).toEqual([undefined, undefined]);
  },
);

test.each([
  [
    'anthropic',
    {
      content: [
        { type: 'tool_use', id: 'a', name: 'f', input: { a: 1 } },
        { type: 'text', text: 'And then' },
      ],
      stop_reason: 'max_tokens',
    },
  ],
  [
    'bedrock',
    {
      output: {
        message: {
          role: 'assistant',
          content: [{ toolUse: { toolUseId: 'a', name: 'f', input: { a: 1 } } }, { text: 'And then' }],
        },
      },
      stopReason: 'max_tokens',
    },
  ],
])('an answer of %s that was cut in the text after a call has a whole call', async (name, body) => {
  const { calls } = await answerOf(wireOf(name), { body });
  expect(calls).toEqual([{ id: 'a', name: 'f', arguments: { a: 1 } }]);
});

function wireOf(name: string) {
  const wire = WIRES[name];
  if (wire === undefined) throw new Error(`there is no wire ${name}`);
  return wire;
}
