import { expect, test } from 'vitest';
import { latch } from '../../fixtures/stage.ts';
import { problem, serveAgents } from './served-agents.ts';

test('a fork is a copy that goes on with a message', async () => {
  const { get, post } = await serveAgents({
    top: ({ told }) => `heard ${told}`,
  });
  const { body } = await post('/agents/top/runs?wait=25', { json: { prompt: 'the first words' } });
  const { status, headers, body: copy } = await post(`/runs/${String(body['run_id'])}/fork`);
  const path = `/runs/${String(copy['run_id'])}`;
  expect([status, headers.get('location')]).toEqual([201, path]);
  expect(copy).toMatchObject({ status: 'idle', name: 'top-fork', turns: 0 });
  await post(`${path}/messages`, { json: { text: 'and you?' } });
  expect((await get(`${path}/result?wait=25`)).body).toMatchObject({ content: 'heard and you?' });
  const { messages } = (await get(`${path}/messages`)).body;
  expect(JSON.stringify(messages)).toContain('the first words');
});

test('an idle copy is made once for a key, also once its agent has answered again', async () => {
  const { get, post } = await serveAgents({ top: ({ told }) => `heard ${told}` });
  const { body } = await post('/agents/top/runs?wait=25', { json: { prompt: 'one' } });
  const run = `/runs/${String(body['run_id'])}`;
  const copied = async (key: string) =>
    (await post(`${run}/fork`, { headers: { 'idempotency-key': key } })).body['run_id'];
  const copy = await copied('mine');
  await post(`${run}/messages`, { json: { text: 'two' } });
  await get(`${run}/result?wait=25`);
  expect(await copied('mine')).toBe(copy);
  expect(await copied('another')).not.toBe(copy);
});

test('a fork from a turn is a run of its own, started once for a key', async () => {
  const { get, post } = await serveAgents({ top: ({ told }) => `heard ${told}` });
  const { body } = await post('/agents/top/runs?wait=25', { json: { prompt: 'one' } });
  const id = String(body['run_id']);
  const ask = () =>
    post(`/runs/${id}/fork`, { json: { turn: 1, text: 'two' }, headers: { 'idempotency-key': 'mine' } });
  const { status, headers, body: copy } = await ask();
  const path = `/runs/${String(copy['run_id'])}`;
  expect([status, headers.get('location')]).toEqual([201, path]);
  expect(copy).toMatchObject({ forked_from: { root: id, run_id: id, turn: 1 }, task: 'two' });
  expect((await ask()).body['run_id']).toBe(copy['run_id']);
  expect((await get(`${path}/result?wait=25`)).body).toMatchObject({ content: 'heard two' });
});

test.each<[object, number, string]>([
  [{ turn: 4 }, 409, 'has no turn 4 to fork from: it has made one turn'],
  [{ text: ' ' }, 400, 'text must not be blank'],
  [{ model: 'stage/top' }, 400, 'must have turn or text: an idle copy keeps its model and its time'],
  [{ timeout: 5 }, 400, 'must have turn or text: an idle copy keeps its model and its time'],
  [{ turn: 1, model: 'other/one' }, 400, 'model must be stage/top; it is other/one'],
])('a fork with %j is refused', async (json, status, detail) => {
  const { post } = await serveAgents({ top: () => 'done' });
  const { body } = await post('/agents/top/runs?wait=25');
  const refused = await post(`/runs/${String(body['run_id'])}/fork`, { json });
  expect([refused.status, refused.body['detail']]).toEqual([status, expect.stringContaining(detail)]);
});

test('an agent that has not answered is not forked', async () => {
  const answering = latch();
  const { post } = await serveAgents({
    async top() {
      await answering.opened;
      return 'done';
    },
  });
  const run = String((await post('/agents/top/runs')).body['run_id']);
  expect((await post(`/runs/${run}/fork`)).body).toEqual(
    problem(409, 'Conflict', '"top" has not answered yet, so there is nothing to fork'),
  );
  answering.open();
});
