import { describe, expect, test } from 'vitest';
import { ModelError } from '../../src/errors.ts';
import type { Reply } from '../fixtures/model-server.ts';
import { answerOf, WIRES, type Wire } from './wires.ts';

async function spentOn(wire: Wire, reply: Reply): Promise<unknown> {
  const thrown: unknown = await answerOf(wire, reply).catch((error: unknown) => error);
  if (!(thrown instanceof ModelError)) throw new Error('no ModelError was thrown', { cause: thrown });
  return thrown.details.spent;
}

describe.each(Object.entries(WIRES))('an answer of %s that cannot be used', (_, wire) => {
  test.each([
    ['has nothing in it', wire.empty],
    ['is shaped as none is', wire.odd],
    ['says that the provider failed', { error: 'the model ended' }],
  ])('costs what its usage says, where it %s', async (__, answer) => {
    expect(await spentOn(wire, { body: { ...answer, ...wire.usage } })).toEqual(wire.counted);
  });

  test.each<[string, Reply]>([
    ['has nothing in it', { body: wire.empty }],
    ['is shaped as none is', { body: wire.odd }],
    ['says that the provider failed', { body: { error: 'the model ended' } }],
    ['counts only its prompt', { body: { ...wire.empty, usage: { input_tokens: 9, inputTokens: 9 } } }],
    ['is no JSON', { body: '<html>' }],
    ['is a list', { body: [wire.usage] }],
    ['is empty', { body: '' }],
    ['was cut', { cutAfter: JSON.stringify(wire.usage) }],
  ])('costs nobody knows how much, where it %s', async (__, reply) => {
    expect(await spentOn(wire, reply)).toBe('unknown');
  });

  test.each([400, 401, 429, 500, 529])('costs nothing where its status is %i', async (status) => {
    expect(await spentOn(wire, { status, body: { error: { message: 'no' }, ...wire.usage } })).toBe(
      undefined,
    );
  });
});
