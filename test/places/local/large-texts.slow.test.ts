import { describe, expect, test } from 'vitest';
import { call, openStage } from '../../fixtures/stage.ts';

const subAgents = 'sub_agents = ["kid"]\n';
const KB = 1024;

describe('texts of any size and kind', () => {
  test('a child that answers 400 KB ten times over is heard to the last byte', async () => {
    const answer = (message: string) => message + 'ü€😀x'.repeat(40 * KB);
    const stage = await openStage(
      {
        top: ({ turn }) => (turn <= 10 ? [call('kid', `${turn}`)] : 'heard'),
        kid: ({ message }) => answer(message),
      },
      { top: subAgents },
    );
    expect(await stage.run()).toMatchObject({ code: 0, out: 'heard', err: '' });
    const results = stage.asked
      .at(-1)
      ?.request.messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
    expect(results?.map(({ text }) => text === answer(text.slice(0, text.indexOf('ü'))))).toEqual(
      Array(10).fill(true),
    );
    expect(Buffer.byteLength(results?.[0]?.text ?? '')).toBeGreaterThan(400 * KB);
  });

  test('2 MB on stdin reach the model as they are, beside the prompt', async () => {
    const stdin = 'line of the input\n'.repeat((2 * KB * KB) / 18);
    const stage = await openStage({ top: ({ message }) => `${message.length}` });
    const { code, out } = await stage.run({ prompt: 'sum it up', context: stdin });
    const message = stage.asked[0]?.message ?? '';
    expect({ code, out: Number(out) }).toEqual({ code: 0, out: message.length });
    expect(message.startsWith('sum it up')).toBe(true);
    expect(message.includes(stdin)).toBe(true);
  });

  test.each([
    ['emoji', '👩‍👩‍👧 family 😀'],
    ['half a surrogate pair', 'cut \ud83d here \udc00'],
    ['NUL and other control characters', 'a\0b\u0001\u001f\u007f\r\n\t'],
    ['line separators', 'a\u2028b\u2029c'],
    ['what looks like JSON', '{"blob":"x","inline":1}'],
    ['what looks like an expression of the machine', '{% $states.input %}'],
    ['names of the object prototype', '__proto__ constructor'],
    ['nothing but blanks', ' \n '],
  ])('%s come back as they were written, small and large', async (_, text) => {
    const large = text.repeat(Math.ceil((70 * KB) / text.length));
    const stage = await openStage(
      {
        top: ({ turn, results }) =>
          turn === 1 ? [call('kid', `x${text}`, text), call('kid', `y${large}`, large)] : results.join('|'),
        kid: ({ message }) => message,
      },
      { top: subAgents },
    );
    const { out } = await stage.run();
    const context = (body: string) => (body.trim() === '' ? '' : `\n\nContext:\n${body}`);
    expect(out).toBe(`Task: x${text}${context(text)}|Task: y${large}${context(large)}`);
  });
});
