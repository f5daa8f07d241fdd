import * as v from 'valibot';
import { expect, test } from 'vitest';
import { Conversation } from '../../../src/core/reports/run-schemas.ts';
import { call, latch, use, type Asked } from '../../fixtures/stage.ts';
import { hookServer, hookTables } from '../../fixtures/hook-server.ts';
import { serveAgents, wallClock } from './served-agents.ts';

const TURN = {
  finished_at: expect.any(String),
  duration_ms: expect.any(Number),
  usd: null,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
};

test('a conversation has what its turns cost, how its calls ended, and the runs that they started', async () => {
  const { get, post } = await serveAgents(
    {
      top: ({ turn, results }: Asked) =>
        turn === 1 ? [call('kid', 'dig', 'deep')] : `top heard: ${results.join()}`,
      kid: () => 'gold',
    },
    { top: 'sub_agents = ["kid"]\nsystem_prompt = "Be brief."\n' },
  );
  const { body } = await post('/agents/top/runs?wait=25', { json: { prompt: 'go' } });
  const top = String(body['run_id']);
  const asked = { agent: 'kid', task: 'dig', context: 'deep' };
  expect((await get(`/runs/${top}/messages`)).body).toEqual({
    system: 'Be brief.',
    settings: { model: 'stage/top', max_tokens: 0, tools: ['call_agent'] },
    turns: 2,
    messages: [
      { role: 'user', text: 'go' },
      {
        role: 'assistant',
        text: '',
        calls: [
          {
            id: expect.any(String),
            name: 'call_agent',
            arguments: asked,
            run: `kid-${top.slice('top-'.length)}-t1c1`,
          },
        ],
        turn: { ...TURN, number: 1, input_tokens: 10, output_tokens: 1 },
      },
      {
        role: 'tool',
        results: [
          {
            call_id: expect.any(String),
            name: 'call_agent',
            text: 'gold',
            is_error: false,
            duration_ms: expect.any(Number),
          },
        ],
      },
      {
        role: 'assistant',
        text: 'top heard: gold',
        calls: [],
        turn: { ...TURN, number: 2, input_tokens: 20, output_tokens: 1 },
      },
    ],
  });
});

test('a part of a conversation has its turns with the results of their calls, and texts as long as wanted', async () => {
  const { get, post } = await serveAgents(
    {
      top: ({ turn }: Asked) =>
        turn <= 3
          ? [use('write_file', { path: `f${turn}`, content: String(turn).repeat(50) })]
          : 'x'.repeat(60),
    },
    { top: 'tools = ["files"]\n' },
  );
  const { body } = await post('/agents/top/runs?wait=25', { json: { prompt: 'write '.repeat(10) } });
  const address = `/runs/${String(body['run_id'])}/messages`;
  const read = async (query: string) => v.parse(Conversation, (await get(`${address}?${query}`)).body);
  const whole = await read('');
  const middle = await read('from_turn=2&to_turn=3');
  expect(middle).toEqual({ ...whole, messages: whole.messages.slice(3, 7) });
  const { messages, turns } = await read('max_characters=10&to_turn=1');
  expect([turns, messages]).toMatchObject([
    4,
    [
      { role: 'user', text: 'write writ', characters: 60 },
      {
        role: 'assistant',
        text: '',
        calls: [{ arguments: { path: 'f1', content: '1111111111' }, characters: 76 }],
      },
      { role: 'tool', results: [{ text: 'created "f', characters: 23 }] },
    ],
  ]);
  const calls = await read('max_call_characters=10');
  expect(calls.messages[0]).toEqual(whole.messages[0]);
  expect(calls.messages.slice(1, 3)).toEqual(messages.slice(1));
  expect((await read('max_characters=10&from_turn=4')).messages).toMatchObject([
    { role: 'assistant', text: 'xxxxxxxxxx', characters: 60 },
  ]);
});

test('results are there as soon as their calls have ended', async () => {
  const [atWork, goOn] = [latch(), latch()];
  const { get, post } = await serveAgents(
    {
      top: ({ turn }: Asked) => (turn === 1 ? [call('quick', 'a'), call('slow', 'b')] : 'done'),
      quick: () => 'I am here',
      slow: async () => {
        atWork.open();
        await goOn.opened;
        return 'at last';
      },
    },
    { top: 'sub_agents = ["quick", "slow"]\n' },
  );
  const { body } = await post('/agents/top/runs', { json: { prompt: 'go' } });
  const address = `/runs/${String(body['run_id'])}`;
  await atWork.opened;
  while (
    (await get(`/runs/quick-${address.slice('/runs/top-'.length)}-t1c1`)).body['status'] !== 'succeeded'
  );
  expect(v.parse(Conversation, (await get(`${address}/messages`)).body).messages.at(-1)).toMatchObject({
    role: 'tool',
    results: [{ name: 'call_agent', text: 'I am here' }],
  });
  goOn.open();
  expect((await get(`${address}/result?wait=25`)).body).toMatchObject({ content: 'done' });
});

test('a call that needed approval says who decided what', async () => {
  const { get, post } = await serveAgents(
    {
      top: ({ turn }: Asked) => (turn === 1 ? [use('write_file', { path: 'a', content: 'a' })] : 'done'),
    },
    { top: 'tools = ["files"]\nmode = "ask"\ntimeout = 60\n' },
  );
  const { body } = await post('/agents/top/runs', { json: { prompt: 'go' } });
  const run = String(body['run_id']);
  const waiting = async () => {
    for (;;) {
      const { open_questions: open } = (await get(`/runs/${run}/tree`)).body;
      if (Array.isArray(open) && open.length > 0) return open;
    }
  };
  expect(await waiting()).toMatchObject([{ run_id: run, question_id: 't1c1', tool: 'write_file' }]);
  const calls = async () => {
    const { messages } = v.parse(Conversation, (await get(`/runs/${run}/messages`)).body);
    return messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
  };
  const approval = { call: 't1c1', tool: 'write_file' };
  expect(await calls()).toMatchObject([{ approval: { ...approval, decision: null, ended_at: null } }]);
  await post(`/runs/${run}/questions/t1c1/answer`, { json: { text: 'deny: not now' } });
  expect((await get(`/runs/${run}/result?wait=25`)).body).toMatchObject({ content: 'done' });
  expect(await calls()).toMatchObject([{ approval: { ...approval, decision: 'deny', reason: 'not now' } }]);
  expect((await get(`/runs/${run}/tree`)).body).toMatchObject({ open_questions: [] });
});

test('a call and an answer say what hooks decided about them', async () => {
  const { url } = await hookServer(({ on, text }) => {
    if (on === 'before_call') return { decision: 'deny', reason: 'not here' };
    return text === 'secret' ? { decision: 'replace', text: 'hidden' } : { decision: 'allow' };
  });
  const hooks = { check: 'on = "before_call"', gate: 'on = "before_answer"' };
  const { get, post } = await serveAgents(
    {
      top: ({ turn }: Asked) => (turn === 1 ? [use('write_file', { path: 'a', content: 'a' })] : 'secret'),
    },
    { top: `tools = ["files"]\n${hookTables(hooks)}` },
    {},
    wallClock,
    { lambdaEndpoint: url },
  );
  const { body } = await post('/agents/top/runs?wait=25', { json: { prompt: 'go' } });
  const run = String(body['run_id']);
  const { messages } = v.parse(Conversation, (await get(`/runs/${run}/messages`)).body);
  const said = messages.flatMap((message) => (message.role === 'assistant' ? message : []));
  const decided = { run_id: run, at: expect.any(String) };
  expect(
    said.map(({ text, hooks: ofText, calls }) => ({
      text,
      ofText,
      ofCalls: calls.map((each) => each.hooks),
    })),
  ).toEqual([
    {
      text: '',
      ofText: undefined,
      ofCalls: [
        [
          {
            ...decided,
            call: 't1c1',
            tool: 'write_file',
            hook: 'check',
            on: 'before_call',
            decision: 'deny',
            reason: 'not here',
          },
        ],
      ],
    },
    {
      text: 'hidden',
      ofText: [{ ...decided, call: 't2c0', hook: 'gate', on: 'before_answer', decision: 'replace' }],
      ofCalls: [],
    },
  ]);
  // A part of it has those of its turns.
  const part = v.parse(Conversation, (await get(`/runs/${run}/messages?from_turn=2`)).body);
  expect(part.messages.at(-1)).toEqual(messages.at(-1));
});
