import { expect, test } from 'vitest';
import { serveAgents } from './served-agents.ts';

const OUTPUT = '[output]\nschema = { type = "object", properties = { text = { type = "string" } } }\n';

test('a result has the answer as text and as a value; one that is too long for an answer only as a link', async () => {
  const answers = ['{"text": "short"}', JSON.stringify({ text: 'x'.repeat(7_000_000) })];
  let asked = 0;
  const { post, get } = await serveAgents({ top: () => answers[asked++] ?? '' }, { top: OUTPUT });
  const results = [];
  for (let times = 0; times < 2; times++) {
    const { body } = await post('/agents/top/runs?wait=25', { json: { prompt: 'go' } });
    results.push((await get(`/runs/${String(body['run_id'])}/result`)).body);
  }
  const [short, long] = results;
  expect(short).toMatchObject({ status: 'succeeded', content: answers[0], output: { text: 'short' } });
  expect(long).toMatchObject({ status: 'succeeded', content: null, content_link: {} });
  expect(long).not.toHaveProperty('output');
});

test('the last answer stays the result of a run whose next message fails', async () => {
  const { post, get } = await serveAgents(
    {
      top({ turn }) {
        if (turn > 1) throw new Error('nobody at home');
        return '{"text": "gold"}';
      },
    },
    { top: OUTPUT },
  );
  const { body } = await post('/agents/top/runs?wait=25', { json: { prompt: 'go' } });
  const run = String(body['run_id']);
  expect((await post(`/runs/${run}/messages`, { json: { text: 'more' } })).status).toBe(202);
  expect((await get(`/runs/${run}/result?wait=25`)).body).toMatchObject({
    status: 'failed',
    error: 'nobody at home',
    content: '{"text": "gold"}',
    output: { text: 'gold' },
  });
});
