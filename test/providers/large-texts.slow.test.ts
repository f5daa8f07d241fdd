import { expect, onTestFinished, test } from 'vitest';
import { createAnthropicModel } from '../../src/providers/anthropic/anthropic.ts';
import { createOfflineModel } from '../../src/providers/offline/offline.ts';
import { createOllamaModel } from '../../src/providers/ollama/ollama.ts';
import { createOpenAIModel } from '../../src/providers/openai/openai.ts';
import { startModelServer } from '../fixtures/model-server.ts';
import { ask, running } from './requests.ts';

test.each([
  ['sentences', 'The ferry crosses the lake number. '],
  ['words without an end', 'ferry lake harbour '],
  ['one word', 'a'],
  ['dots', '.'],
  ['dots and spaces', '. '],
  ['dashes', '- '],
  ['quotations', '> '],
  ['brackets after dots', '.)))))))'],
  ['line breaks', '\n'],
  ['Chinese', '今天天气很好。'],
])('offline/extractive reads 2 MB of %s', async (_, piece) => {
  const text = piece.repeat(Math.ceil(2_000_000 / Buffer.byteLength(piece)));
  const request = ask(`What matters?\n\nContext:\n${text}`, { model: 'extractive' });
  const { text: answer } = await createOfflineModel().send(request, running);
  expect(answer.length).toBeGreaterThan(0);
  expect(answer.length).toBeLessThan(5000);
});

test.each([
  ['Anthropic', createAnthropicModel],
  ['OpenAI', createOpenAIModel],
  ['Ollama', createOllamaModel],
])('%s stops reading an answer that no model writes', async (_, create) => {
  const server = await startModelServer([{ body: ' '.repeat(33 * 2 ** 20) }]);
  onTestFinished(() => server.close());
  const model = create({ baseUrl: server.url, apiKey: 'a-key', fetch });
  await expect(model.send(ask('x'), running)).rejects.toMatchObject({
    message: `server: response from ${server.url} is larger than 32 MB`,
  });
});
