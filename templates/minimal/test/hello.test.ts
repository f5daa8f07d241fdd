import { call, openTestCadre } from 'cadre/testing';
import { expect, test } from 'vitest';

test('hello counts the words of a text before it says how long it is', async () => {
  const cadre = await openTestCadre({
    models: {
      hello: [call('count_words', { text: 'one two three' }), ({ results }) => `It has ${results[0]} words.`],
    },
  });
  const { content, run } = await cadre.run('hello', { prompt: 'How long is "one two three"?' });
  expect(content).toBe('It has 3 words.');
  expect(await cadre.calls(run.id)).toMatchObject([{ tool: 'count_words', result: '3', isError: false }]);
  await cadre.close();
});

test('hello passes its evaluation with a model that does what is expected', async () => {
  const cadre = await openTestCadre({ models: { hello: ['It books rooms of a hotel.'] } });
  const { passed, cases } = await cadre.evaluate('evals/hello.toml');
  expect(passed, JSON.stringify(cases)).toBe(true);
  await cadre.close();
});
