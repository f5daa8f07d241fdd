import { expect, onTestFinished, test, vi } from 'vitest';
import type { Embeddings } from '../../src/core/memory/embeddings.ts';
import type { ModelSources } from '../../src/places/models/model-sources.ts';
import { openEmbeddings } from '../../src/places/models/open-embeddings.ts';
import { startModelServer, type ArrivedRequest, type Reply } from '../fixtures/model-server.ts';

const running = new AbortController().signal;

/** A model of a provider whose API is on loopback. */
async function open(
  model: string,
  replies: Reply[] | ((request: ArrivedRequest) => Reply),
  sources: Partial<ModelSources> = {},
): Promise<{ embeddings: Embeddings; requests: ArrivedRequest[] }> {
  const server = await startModelServer(replies);
  onTestFinished(server.close);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  onTestFinished(() => void vi.unstubAllEnvs());
  const embeddings = await openEmbeddings(model, {
    providers: ['acme'],
    apiKey: () => 'sk-0123456789',
    baseUrl: () => server.url,
    fetch,
    scripted: () => {
      throw new Error('nothing is played');
    },
    ...sources,
  });
  return { embeddings, requests: server.requests };
}

test('OpenAI is asked for vectors of a length that all need, and gives them in any order', async () => {
  const data = [
    { object: 'embedding', index: 1, embedding: [0, 1] },
    { object: 'embedding', index: 0, embedding: [1, 0] },
  ];
  const reply = { object: 'list', data, model: 'x', usage: { prompt_tokens: 5, total_tokens: 5 } };
  const { embeddings, requests } = await open('openai/text-embedding-3-small', [{ body: reply }]);
  expect(await embeddings.embed(['one', 'two'], 'entry', running)).toEqual({
    vectors: [
      [1, 0],
      [0, 1],
    ],
    tokens: 5,
  });
  expect(requests).toEqual([
    {
      method: 'POST',
      path: '/v1/embeddings',
      headers: { authorization: 'Bearer sk-0123456789', 'content-type': 'application/json' },
      body: {
        model: 'text-embedding-3-small',
        input: ['one', 'two'],
        encoding_format: 'float',
        dimensions: 1_024,
      },
    },
  ]);
});

test('a server that speaks its protocol is asked for vectors as they are, in several requests, and may count nothing', async () => {
  const { embeddings, requests } = await open('acme/bge-m3', ({ body }) => ({
    body: { data: inputOf(body).map((text, index) => ({ index, embedding: [text.length] })) },
  }));
  const texts = Array.from({ length: 33 }, (_, index) => 'x'.repeat(index + 1));
  expect(await embeddings.embed(texts, 'entry', running)).toEqual({
    vectors: texts.map(({ length }) => [length]),
    tokens: Math.ceil((32 * 33) / 2 / 4) + Math.ceil(33 / 4),
  });
  expect(requests.map(({ path, body }) => [path, inputOf(body).length])).toEqual([
    ['/v1/embeddings', 32],
    ['/v1/embeddings', 1],
  ]);
  expect(requests[1]?.body).toEqual({ model: 'bge-m3', input: [texts[32]], encoding_format: 'float' });
});

function inputOf(body: unknown): string[] {
  if (typeof body !== 'object' || body === null || !('input' in body) || !Array.isArray(body.input))
    return [];
  return body.input.map(String);
}

test('Ollama is asked without a key', async () => {
  const reply = { model: 'x', embeddings: [[0.5, 0.25]], total_duration: 1, prompt_eval_count: 3 };
  const { embeddings, requests } = await open('ollama/nomic-embed-text', [{ body: reply }]);
  expect(await embeddings.embed(['one'], 'query', running)).toEqual({ vectors: [[0.5, 0.25]], tokens: 3 });
  expect(requests).toEqual([
    {
      method: 'POST',
      path: '/api/embed',
      headers: { 'content-type': 'application/json' },
      body: { model: 'nomic-embed-text', input: ['one'] },
    },
  ]);
});

test('Titan on Bedrock is asked for one text at a time', async () => {
  const { embeddings, requests } = await open('bedrock/amazon.titan-embed-text-v2:0', ({ body }) => ({
    body: { embedding: [JSON.stringify(body).includes('two') ? 2 : 1], inputTextTokenCount: 4 },
  }));
  expect(await embeddings.embed(['one', 'two'], 'entry', running)).toEqual({
    vectors: [[1], [2]],
    tokens: 8,
  });
  const asked = requests.map(({ path, body }) => [path, body]);
  expect(asked.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))).toEqual(
    ['one', 'two'].map((inputText) => [
      '/model/amazon.titan-embed-text-v2%3A0/invoke',
      { inputText, dimensions: 1_024, normalize: true },
    ]),
  );
});

test.each([
  [
    'cohere.embed-multilingual-v3',
    { id: 'x', texts: [], response_type: 'embeddings_floats', embeddings: [[1, 2]] },
  ],
  ['cohere.embed-v4:0', { id: 'x', response_type: 'embeddings_by_type', embeddings: { float: [[1, 2]] } }],
])('%s on Bedrock is told what searches and what is searched', async (model, reply) => {
  const { embeddings, requests } = await open(`bedrock/${model}`, () => ({ body: reply }));
  expect(await embeddings.embed(['one?'], 'query', running)).toEqual({ vectors: [[1, 2]], tokens: 1 });
  await embeddings.embed(['x'.repeat(3_000)], 'entry', running);
  expect(requests.map(({ body }) => body)).toEqual([
    { texts: ['one?'], input_type: 'search_query', embedding_types: ['float'] },
    { texts: ['x'.repeat(2_048)], input_type: 'search_document', embedding_types: ['float'] },
  ]);
});

test.each<[string, Reply, string]>([
  [
    'openai/x',
    { status: 401, body: { error: { message: 'bad key sk-0123456789' } } },
    'auth: bad key [redacted]',
  ],
  ['openai/x', { body: { data: [] } }, 'server: 1 texts have 0 vectors in the answer'],
  [
    'ollama/x',
    { status: 404, body: { error: 'model "x" not found, try pulling it first' } },
    'bad_request: model "x" not found, try pulling it first',
  ],
  ['ollama/x', { body: { embeddings: [[]] } }, 'server: 1 texts have 1 vectors in the answer'],
  [
    'bedrock/amazon.titan-embed-text-v2:0',
    { status: 400, body: { message: 'Malformed input' } },
    'bad_request: Malformed input',
  ],
  ['bedrock/amazon.titan-embed-text-v2:0', { body: {} }, 'server: failed to parse response: '],
])('a fault of %s is told as one: %#', async (model, reply, message) => {
  const { embeddings } = await open(model, [reply]);
  await expect(embeddings.embed(['one'], 'entry', running)).rejects.toThrow(message);
});

test('a provider without such models says so, and one without a key', async () => {
  await expect(open('anthropic/x', [])).rejects.toThrow('provider "anthropic" has no models for embeddings');
  await expect(open('nobody/x', [])).rejects.toThrow('unsupported provider "nobody"');
  await expect(open('openai/x', [], { apiKey: () => undefined })).rejects.toThrow(
    'API key for provider "openai" is not configured',
  );
});
