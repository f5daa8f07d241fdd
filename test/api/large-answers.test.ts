import { expect, test } from 'vitest';
import { problem, serveAgents } from './served-agents.ts';

const SEVEN_MB = 'Größe "x"\\\n'.repeat(600_000);

test('a result of 7 MB, and the conversation that it is in, are fetched from where they are kept', async () => {
  const { get, post } = await serveAgents({ top: () => SEVEN_MB });
  const { body } = await post('/agents/top/runs?wait=25');
  expect(Buffer.byteLength(SEVEN_MB)).toBeGreaterThan(7_000_000);
  const link = {
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/answers\//),
    bytes: Buffer.byteLength(SEVEN_MB),
    expires_at: expect.any(String),
  };
  expect(body).toMatchObject({ status: 'succeeded', content: null, content_link: link });
  const text = await fetch((body['content_link'] as { url: string }).url);
  expect(text.headers.get('content-type')).toMatch(/^text\/plain; ?charset=utf-8$/i);
  expect((await text.text()) === SEVEN_MB).toBe(true);

  const id = String(body['run_id']);
  expect((await get(`/runs/${id}/result`)).body).toEqual({
    ...body,
    content_link: { ...link, url: (body['content_link'] as { url: string }).url },
  });
  const messages = (await get(`/runs/${id}/messages`)).body['conversation_link'] as { url: string };
  const conversation = (await (await fetch(messages.url)).json()) as { messages: { text: string }[] };
  expect(conversation.messages.map(({ text: said }) => said.length)).toEqual([48, SEVEN_MB.length]);
});

test('a result of 1 MB comes with the answer', async () => {
  const largest = 'x'.repeat(1024 ** 2 - 2);
  const { post } = await serveAgents({ top: () => largest, more: () => `${largest}x` });
  const { body } = await post('/agents/top/runs?wait=25');
  expect(body['content'] === largest).toBe(true);
  expect((await post('/agents/more/runs?wait=25')).body['content']).toBeNull();
});

test('an answer that was never kept is not found', async () => {
  const { get } = await serveAgents({});
  for (const path of ['/answers/x', '/answers/..%2Fstore', '/answers/']) {
    expect((await get(path)).body).toMatchObject(problem(404, 'Not Found', expect.any(String)));
  }
});
