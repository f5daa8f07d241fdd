import { expect, test } from 'vitest';
import { createCompletionStream } from '../../../src/doors/api/openai/completion-stream.ts';
import { NO_USAGE } from '../../../src/core/records/run.ts';
import { aRun, aTurn } from '../../fixtures/records.ts';

const envelope = { id: 'chatcmpl-1', created: 7, model: 'cadre/top' };
const run = aRun({ status: 'succeeded', usage: { ...NO_USAGE, inputTokens: 10, outputTokens: 2 } });
const ended = (content: string, other = {}) => ({
  run: { ...run, ...other },
  content,
  turns: [aTurn()],
  tree: [run],
});
const error = { message: 'no', type: 'x', param: null, code: null };

/** What a client reads, piece by piece. */
async function read(
  includesUsage: boolean,
  act: (stream: ReturnType<typeof createCompletionStream>) => void,
) {
  const stream = createCompletionStream(envelope, includesUsage);
  act(stream);
  const text = await new Response(stream.body).text();
  return text
    .split('\n\n')
    .slice(0, -1)
    .map((piece) => {
      expect(piece).toMatch(/^data: /);
      const data = piece.slice('data: '.length);
      return data === '[DONE]' ? data : JSON.parse(data);
    });
}

const chunk = (delta: object, reason: string | null = null, more: object = {}) => ({
  ...envelope,
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
  ...more,
});
const begin = { role: 'assistant', content: '', refusal: null };

test('a stream tells the pieces of an answer, or all of it where there were none', async () => {
  const pieces = await read(false, ({ write, end }) => {
    write('the ');
    write('answer');
    end(ended('the answer'));
  });
  expect(pieces).toEqual([
    chunk(begin),
    chunk({ content: 'the ' }),
    chunk({ content: 'answer' }),
    chunk({}, 'stop'),
    '[DONE]',
  ]);
  const whole = [chunk(begin), chunk({ content: 'all' }), chunk({}, 'stop'), '[DONE]'];
  expect(await read(false, ({ end }) => end(ended('all')))).toEqual(whole);
  expect(await read(false, ({ end }) => end(ended('')))).toEqual(whole.toSpliced(1, 1));
});

test('a stream says what was used only where it is asked for', async () => {
  const usage = null;
  expect(await read(true, ({ end }) => end(ended('all')))).toEqual([
    chunk(begin, null, { usage }),
    chunk({ content: 'all' }, null, { usage }),
    chunk({}, 'stop', { usage }),
    {
      ...envelope,
      object: 'chat.completion.chunk',
      choices: [],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 2,
        total_tokens: 12,
        prompt_tokens_details: { cached_tokens: 0 },
      },
    },
    '[DONE]',
  ]);
});

test('a stream ends with the error of a run that has no answer', async () => {
  const failed = { status: 'failed', failure: { error: 'ModelError', message: 'gone' } };
  expect(await read(false, ({ end }) => end(ended('', failed)))).toEqual([
    chunk(begin),
    {
      error: {
        message: 'run "top-00000000000000" failed: gone',
        type: 'run_error',
        param: null,
        code: 'run_failed',
      },
    },
  ]);
  expect(await read(false, ({ fail }) => fail(error))).toEqual([chunk(begin), { error }]);
});
