import { expect, onTestFinished, test } from 'vitest';
import * as v from 'valibot';
import { call, latch, openStage, use, type Asked } from '../../fixtures/stage.ts';
import { openAgentFolders } from '../../../src/authoring/loading/folders/agent-folders.ts';
import { fromFixture, toFixture } from '../../../src/authoring/replay/fixture.ts';
import { recordingOf } from '../../../src/authoring/replay/recording.ts';
import { replay } from '../../../src/authoring/replay/replay.ts';
import { openFolderWorkspace } from '../../../src/places/local/workspace/folder-workspace.ts';
import { replayed } from '../../fixtures/replayed.ts';
import { serveAgentOfOthers } from '../../fixtures/agent-of-others.ts';
import { inHeldTime } from '../../fixtures/held-time.ts';
import { serveHostileAgent } from '../../fixtures/hostile-agent.ts';
import { serveOnLoopback } from '../../fixtures/loopback.ts';
import { serveAgents } from '../../doors/api/served-agents.ts';

const remote = (url: string, more = '') => `
[[remote_agents]]
name = "booking"
url = "${url}"
${more}
`;
const clerk = ({ url }: { url: string }, more = '') => remote(`${url}/a2a/clerk`, more);

/** Hands its task to the remote agent, and says what it heard. */
const top = ({ turn, results }: Asked) =>
  turn === 1 ? [call('booking', 'a room', 'for two')] : results.join();

/** A task is looked at after a second, then after two: these pass at once. */
const passing = <T>(work: () => Promise<T>) => inHeldTime(work, 1);

test('an agent of somebody else is called like a sub-agent, and its answer is the result', async () => {
  const { server } = await serveAgents({ clerk: ({ message }: Asked) => `booked: ${message}` });
  const stage = await openStage({ top }, { top: clerk(server) });
  const { out, code, tree } = await passing(() => stage.run());
  expect({ out, code }).toEqual({ out: 'booked: Task: a room\n\nContext:\nfor two', code: 0 });
  expect(tree.map(({ agent, model, status, depth }) => ({ agent, model, status, depth }))).toEqual([
    { agent: 'top', model: 'stage/top', status: 'succeeded', depth: 0 },
    { agent: 'booking', model: 'planned/remote', status: 'succeeded', depth: 1 },
  ]);
  const [{ request } = { request: undefined }] = stage.asked;
  expect(request?.tools).toMatchObject([
    { name: 'call_agent', description: expect.stringContaining('Available agents: booking') },
  ]);
});

test('a recording names it, without what it is sent and where it is, and can be replayed', async () => {
  const { server } = await serveAgents({ clerk: () => 'booked' });
  const stage = await openStage({ top }, { top: clerk(server, 'headers = { x-team = "team-7" }') });
  const { tree: ran } = await passing(() => stage.run());
  const id = ran[0]?.id ?? '';
  expect(await replayed(id, stage)).not.toHaveProperty('difference');
  const fixture = toFixture(await recordingOf(id, stage.pipeline.store), []);
  expect(fixture).not.toMatch(new RegExp(`team-7|${server.url}`));
  const source = openAgentFolders({ cwd: stage.cwd, env: {} });
  const again = await replay(fromFixture(fixture, 'fixture.json'), {
    cwd: stage.cwd,
    source,
    openWorkspace: openFolderWorkspace,
  });
  expect(again).not.toHaveProperty('difference');
});

test('its question is put before the person for whom the tree works, and the answer is handed on', () =>
  passing(async () => {
    const { server } = await serveAgents(
      {
        clerk: ({ turn, results }: Asked) =>
          turn === 1
            ? [use('ask_user', { question: 'Which day?', choices: ['Monday', 'Friday'] })]
            : `on ${results.join()}`,
      },
      { clerk: 'tools = ["ask_user"]\ntimeout = 3600\n' },
    );
    const { get, post } = await serveAgents({ top }, { top: clerk(server, '') });
    const { body } = await post('/agents/top/runs', { json: { prompt: 'go' } });
    const run = String(body['run_id']);
    await expect
      .poll(async () => (await get('/questions')).body['questions'])
      .toMatchObject([
        { agent: 'booking', root: run, question: 'Which day?', choices: ['Monday', 'Friday'] },
      ]);
    const { body: asked } = await get('/questions');
    const [question] = v.parse(
      v.array(v.looseObject({ run_id: v.string(), question_id: v.string() })),
      asked['questions'],
    );
    await post(`/runs/${question?.run_id}/questions/${question?.question_id}/answer`, {
      json: { choice: 'Friday' },
    });
    await expect.poll(() => get(`/runs/${run}/result`)).toMatchObject({ body: { content: 'on Friday' } });
  }));

test("an agent of the protocol's own package is spoken to over HTTP: it asks, is answered, and gives its task up", () =>
  passing(async () => {
    const others = await serveAgentOfOthers(
      (text) => {
        if (text.includes('sleep')) return new Promise(() => {});
        return text.includes('room') ? { asks: 'Which day?' } : { answers: `on ${text}` };
      },
      { binding: 'HTTP+JSON' },
    );
    onTestFinished(others.close);
    const caller = ({ turn, message, results }: Asked) =>
      turn === 1 ? [call('booking', message)] : results.join();
    const { get, post, stage } = await serveAgents({ top: caller }, { top: remote(others.endpoint) });
    const start = async (prompt: string) =>
      String((await post('/agents/top/runs', { json: { prompt } })).body['run_id']);
    const booked = await start('a room');
    const question = async () => {
      const { questions } = v.parse(Questions, (await get('/questions')).body);
      return questions.map(({ run_id: run, question_id: id }) => `/runs/${run}/questions/${id}/answer`);
    };
    await expect.poll(question).toHaveLength(1);
    await post((await question())[0] ?? '', { json: { text: 'Friday' } });
    await expect.poll(() => get(`/runs/${booked}/result`)).toMatchObject({ body: { content: 'on Friday' } });

    const asleep = await start('sleep');
    const isKnown = async () => {
      const [, booking] = await stage.pipeline.store.tree(asleep);
      return booking && stage.pipeline.store.callResult({ run: booking.id, turn: 1, call: 1 });
    };
    await expect.poll(isKnown).toBeDefined();
    await post(`/runs/${asleep}/stop`);
    await expect.poll(() => others.canceled).toHaveLength(1);
    expect(others.told).toEqual(['Task: a room', 'Friday', 'Task: sleep']);
  }));

const Questions = v.object({
  questions: v.array(v.looseObject({ run_id: v.string(), question_id: v.string() })),
});

test('a tree that is stopped has the remote agent give its task up', async () => {
  const isBegun = latch();
  const theirs = await serveAgents({
    clerk() {
      isBegun.open();
      return new Promise(() => {});
    },
  });
  const { stage, get, post } = await serveAgents({ top }, { top: clerk(theirs.server) });
  const { body } = await post('/agents/top/runs', { json: { prompt: 'go' } });
  const run = String(body['run_id']);
  await isBegun.opened;
  // Once its task has a name here.
  const { store } = stage.pipeline;
  await expect
    .poll(async () => {
      const [, booking] = await store.tree(run);
      return booking && store.callResult({ run: booking.id, turn: 1, call: 1 });
    })
    .toBeDefined();
  await post(`/runs/${run}/stop`);
  await expect
    .poll(async () => (await theirs.get('/runs')).body['runs'])
    .toMatchObject([{ agent: 'clerk', status: 'stopped', error: 'its client cancelled the task' }]);
  expect((await get(`/runs/${run}`)).body['status']).toBe('stopped');
});

test('a tree that is stopped while the task is handed over has it given up as well', async () => {
  const asked: string[] = [];
  const isSent = latch();
  const endpoint = await serveHostileAgent(({ method, params }) => {
    asked.push(`${method} ${params.id ?? params.message?.messageId}`);
    isSent.open();
    // The first one gets no answer.
    if (asked.length === 1) return undefined;
    const state = method === 'CancelTask' ? 'TASK_STATE_CANCELED' : 'TASK_STATE_WORKING';
    const task = { id: 'task-7', contextId: 'c', status: { state } };
    return method === 'CancelTask' ? task : { task };
  });
  const { post } = await serveAgents({ top }, { top: remote(endpoint) });
  const { body } = await post('/agents/top/runs', { json: { prompt: 'go' } });
  await isSent.opened;
  await post(`/runs/${String(body['run_id'])}/stop`);
  await expect.poll(() => asked).toHaveLength(3);
  expect(asked).toEqual([asked[0], asked[0], 'CancelTask task-7']);
});

test.each([
  ['has no such agent', 'a2a/nobody', 'HTTP 404 Not Found'],
  ['wants a sign-in', 'closed', 'HTTP 401 Unauthorized'],
  ['leads elsewhere with its card', 'elsewhere', 'its card leads to https://example.org, and not to'],
  ['redirects', 'moved', 'it redirects, which is not followed (HTTP 302)'],
])('a call of a server that %s fails with the reason', async (_, path, reason) => {
  const card = {
    name: 'x',
    supportedInterfaces: [
      { url: 'https://example.org/x', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ],
  };
  const { endpoint, close } = await serveOnLoopback((request, response) => {
    if (request.url?.startsWith('/closed')) response.writeHead(401).end();
    else if (request.url?.startsWith('/moved'))
      response.writeHead(302, { location: 'https://example.org/' }).end();
    else if (request.url?.startsWith('/elsewhere')) response.end(JSON.stringify(card));
    else response.writeHead(404).end();
  });
  onTestFinished(close);
  const stage = await openStage({ top }, { top: remote(`${endpoint}/${path}`) });
  const { out } = await stage.run();
  expect(out).toContain(
    `Error: sub-agent "booking" failed - bad_request: remote agent "booking" does not answer: ${reason}`,
  );
});
