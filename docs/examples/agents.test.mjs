import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, openTestCadre } from 'cadre/testing';

test('hello counts the words of a text before it says how long it is', async () => {
  const cadre = await openTestCadre({
    models: {
      hello: [call('count_words', { text: 'one two three' }), ({ results }) => `It has ${results[0]} words.`],
    },
  });
  const { content, run } = await cadre.run('hello', { prompt: 'How long is "one two three"?' });
  assert.equal(content, 'It has 3 words.');
  const [counted] = await cadre.calls(run.id);
  assert.deepEqual([counted.tool, counted.result], ['count_words', '3']);
  await cadre.close();
});
