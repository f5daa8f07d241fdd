import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { call, use, type Asked } from '../../fixtures/stage.ts';
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
  expect(await post(path, { json: { choice: 'green' } })).toMatchObject({
    status: 400,
    body: { detail: 'choice must be one of "red", "blue"' },
  });
  expect(await post(path, { json: { choice: 'red', text: 'red' } })).toMatchObject({ status: 400 });
  expect(await post(path, { json: { text: ' ' } })).toMatchObject({ status: 400 });
  expect(await post(`/runs/${run}/questions/t9c1/answer`, { json: { text: 'x' } })).toMatchObject({
    status: 404,
    body: { detail: `run "${run}" has no question "t9c1"` },
  });
  const taken = await post(path, { json: { choice: 'blue' } });
  expect(taken).toMatchObject({
    status: 200,
    body: { run_id: run, question_id: 't1c1', answer: 'blue' },
  });
  // The same request may come once more, because its response was lost.
  expect(await post(path, { json: { text: ' blue' } })).toMatchObject({
    status: taken.status,
    body: taken.body,
  });
  expect(await post(path, { json: { text: 'red' } })).toMatchObject({ status: 409 });
  expect(await get(`/runs/${run}/result?wait=25`)).toMatchObject({ body: { content: 'blue' } });
  expect(await get('/questions')).toMatchObject({ body: { questions: [] } });
});

test('a question of an agent that was killed takes no answer', async () => {
  const { get, post } = await serveAgents(
    {
      top: ({ turn, results }: Asked) => (turn === 1 ? [call('kid', 'x')] : results.join()),
      kid: () => [use('ask_user', { question: 'Which one?' })],
    },
    { top: 'sub_agents = ["kid"]\n', kid: 'tools = ["ask_user"]\n' },
  );
  const { body: started } = await post('/agents/top/runs', { json: { prompt: 'go' } });
  const kid = `kid-${String(started['run_id']).slice('top-'.length)}-t1c1`;
  await expect.poll(async () => (await get('/questions')).body['questions']).toHaveLength(1);
  await post(`/runs/${kid}/kill`);
  expect(await post(`/runs/${kid}/questions/t1c1/answer`, { json: { text: 'blue' } })).toMatchObject({
    status: 409,
    body: { detail: `run "${kid}" was killed; nothing reaches it any more` },
  });
  expect((await get(`/runs/${String(started['run_id'])}/result?wait=25`)).body).toMatchObject({
    content: expect.stringContaining('killed by a person'),
  });
});

test('calls are approved over HTTP, with other arguments or without', async () => {
  const top = ({ turn, results }: Asked) =>
    turn === 1
      ? ['a', 'b', 'c'].map((path) => use('write_file', { path, content: path }))
      : results.join('|');
  const toml = 'tools = ["files"]\nmode = "ask"\ntimeout = 60\npermissions = { deny = ["write_file(x)"] }\n';
  const { get, post, stage } = await serveAgents({ top }, { top: toml });
  const { body: started } = await post('/agents/top/runs', { json: { prompt: 'go' } });
  const run = String(started['run_id']);
  const asked = async (id: string) => {
    for (;;) {
      const { body } = await get('/questions');
      const open: unknown[] = Array.isArray(body['questions']) ? body['questions'] : [];
      if (JSON.stringify(open).includes(id)) return open;
    }
  };
  expect(await asked('t1c1')).toEqual([
    {
      run_id: run,
      root: run,
      agent: 'top',
      question_id: 't1c1',
      question: 'Allow write_file: a?',
      choices: ['approve', 'deny', 'always'],
      tool: 'write_file',
      arguments: { path: 'a', content: 'a' },
      asked_at: expect.any(String),
      expires_at: expect.toSatisfy((at: unknown) => at === null || typeof at === 'string'),
    },
  ]);
  const { body: whole } = await get(`/runs/${run}/questions/t1c1`);
  expect(whole).toMatchObject({
    arguments: { path: 'a', content: 'a' },
    parameters: { type: 'object', required: ['path', 'content'] },
  });
  expect(whole).not.toHaveProperty('ended');
  const answerTo = (id: string, json: object) => post(`/runs/${run}/questions/${id}/answer`, { json });
  for (const [json, detail] of [
    [{ choice: 'approve', arguments: { path: 'x', content: '' } }, 'is denied by the rule write_file(x)'],
    [{ choice: 'approve', arguments: ['a'] }, 'arguments must be an object'],
    [{ choice: 'approve', arguments: [] }, 'arguments must be an object'],
    [{ choice: 'deny', arguments: {} }, 'a call that is denied takes no arguments'],
    [{ text: 'yes' }, 'the answer to an approval is approve, always, or deny with a reason, not "yes"'],
  ] as const) {
    expect(await answerTo('t1c1', json)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining(detail) },
    });
  }
  const deep = `{"choice": "approve", "arguments": {"path": ${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
  expect(
    await post(`/runs/${run}/questions/t1c1/answer`, {
      body: deep,
      headers: { 'content-type': 'application/json' },
    }),
  ).toMatchObject({ status: 400, body: { detail: 'the arguments are nested too deeply' } });
  expect((await answerTo('t1c1', { choice: 'approve', arguments: { path: 7 } })).body['errors']).toEqual([
    { field: 'arguments.content', detail: 'argument "content" is missing: it must be text' },
    { field: 'arguments.path', detail: 'argument "path" must be text, not 7' },
  ]);
  const approved = { choice: 'approve', arguments: { path: 'd', content: 'D' } };
  const taken = await answerTo('t1c1', approved);
  expect(taken).toMatchObject({ status: 200, body: { answer: 'approve' } });
  expect(await answerTo('t1c1', approved)).toMatchObject({ status: 200, body: taken.body });
  expect(await answerTo('t1c1', { choice: 'approve' })).toMatchObject({ status: 409 });
  await asked('t1c2');
  expect(await answerTo('t1c2', { text: 'deny: no b' })).toMatchObject({ status: 200 });
  expect((await get(`/runs/${run}/questions/t1c2`)).body['ended']).toEqual({
    at: expect.any(String),
    answer: 'deny: no b',
  });
  await asked('t1c3');
  expect(await answerTo('t1c3', { choice: 'always' })).toMatchObject({ status: 200 });
  expect(await get(`/runs/${run}/result?wait=25`)).toMatchObject({
    body: {
      content:
        '[arguments changed by the user: path: "a" → "d"; content: "a" → "D"]\n\ncreated "d" (1 bytes)|' +
        'Permission denied: "write_file" was denied by the user: no b|created "c" (1 bytes)',
    },
  });
  expect(await readFile(join(stage.cwd, 'd'), 'utf8')).toBe('D');
});
