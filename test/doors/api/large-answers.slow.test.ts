import * as v from 'valibot';
import { expect, test } from 'vitest';
import { Link, RunResult } from '../../../src/doors/api/answers.ts';
import { Conversation } from '../../../src/core/reports/run-schemas.ts';
import { problem, serveAgents } from './served-agents.ts';

const Linked = v.object({ conversation_link: Link });
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
  const url = v.parse(RunResult, body).content_link?.url ?? '';
  const text = await fetch(url);
  expect(text.headers.get('content-type')).toMatch(/^text\/plain; ?charset=utf-8$/i);
  expect((await text.text()) === SEVEN_MB).toBe(true);

  const id = String(body['run_id']);
  expect((await get(`/runs/${id}/result`)).body).toEqual({ ...body, content_link: { ...link, url } });
  const { conversation_link: kept } = v.parse(Linked, (await get(`/runs/${id}/messages`)).body);
  const { messages } = v.parse(Conversation, await (await fetch(kept.url)).json());
  expect(messages.map((message) => 'text' in message && message.text.length)).toEqual([48, SEVEN_MB.length]);
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
