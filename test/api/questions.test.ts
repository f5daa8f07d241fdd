import { expect, test } from 'vitest';
import { use, type Asked } from '../fixtures/stage.ts';
import { serveAgents } from './served-agents.ts';

test('questions are listed and answered over HTTP, once', async () => {
  const top = ({ turn, results }: Asked) =>
    turn === 1 ? [use('ask_user', { question: 'Which one?', choices: ['red', 'blue'] })] : results.join();
  const { get, post } = await serveAgents({ top }, { top: 'tools = ["ask_user"]\ntimeout = 60\n' });
  const { body: started } = await post('/agents/top/runs', { json: { prompt: 'go' } });
  const run = String(started['run_id']);
  let open: unknown[] = [];
  while (open.length === 0) {
    const { body } = await get('/questions');
    open = Array.isArray(body['questions']) ? body['questions'] : [];
  }
  expect(open).toEqual([
    {
      run_id: run,
      root: run,
      agent: 'top',
      question_id: 't1c1',
      question: 'Which one?',
      choices: ['red', 'blue'],
      asked_at: expect.any(String),
      expires_at: expect.toSatisfy((at: unknown) => at === null || typeof at === 'string'),
    },
  ]);
  const path = `/runs/${run}/questions/t1c1/answer`;
  expect(await post(path, { json: { choice: 'green' } })).toMatchObject({ status: 400 });
  expect(await post(path, { json: { choice: 'red', text: 'red' } })).toMatchObject({ status: 400 });
  expect(await post(path, { json: { text: ' ' } })).toMatchObject({ status: 400 });
  expect(await post(`/runs/${run}/questions/t9c1/answer`, { json: { text: 'x' } })).toMatchObject({
    status: 404,
    body: { detail: `run "${run}" has no question "t9c1"` },
  });
  expect(await post(path, { json: { choice: 'blue' } })).toMatchObject({
    status: 200,
    body: { run_id: run, question_id: 't1c1', answer: 'blue' },
  });
  expect(await post(path, { json: { text: 'red' } })).toMatchObject({ status: 409 });
  expect(await get(`/runs/${run}/result?wait=25`)).toMatchObject({ body: { content: 'blue' } });
  expect(await get('/questions')).toMatchObject({ body: { questions: [] } });
});
