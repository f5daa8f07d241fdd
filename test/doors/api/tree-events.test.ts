import * as v from 'valibot';
import { expect, test } from 'vitest';
import { RunOverview } from '../../../src/core/reports/run-schemas.ts';
import { call, latch, use } from '../../fixtures/stage.ts';
import { serveAgents, type Served } from './served-agents.ts';

const Data = v.object({ runs: v.array(RunOverview) });

/** The ids and the data of the events in a text. */
function eventsIn(text: string) {
  return [...text.matchAll(/^(?:id: (\S+)\n)?data: (.*)$/gm)].map(([, id, data = '']) => ({
    id,
    ...v.parse(Data, JSON.parse(data)),
  }));
}

interface Following {
  /** The id of the last event that is known. */
  after?: string | undefined;
  /** Told of each run that an event has. */
  onRun?: (run: RunOverview) => void;
}

/** Follows a tree to its end. */
async function follow({ server }: Served, id: string, { after, onRun = () => {} }: Following = {}) {
  const headers = after === undefined ? {} : { 'last-event-id': after };
  const response = await fetch(`${server.url}/runs/${id}/tree/events`, { headers });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  let text = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    for (const run of eventsIn(piece).flatMap(({ runs }) => runs)) onRun(run);
  }
  return eventsIn(text);
}

const MAY_CALL = { top: 'sub_agents = ["kid"]\ntools = ["ask_user"]\npatience = "1h"\n' };

test('a follower of a tree gets each run as it is, and again whenever it has changed', async () => {
  const seen = latch();
  const working = latch();
  const asked = latch();
  const served = await serveAgents(
    {
      async top({ turn }) {
        await seen.opened;
        if (turn === 1) return [call('kid', 'dig')];
        return turn === 2 ? [use('ask_user', { question: 'Deeper?', choices: ['yes'] })] : 'done';
      },
      async kid() {
        await working.opened;
        return 'gold';
      },
    },
    MAY_CALL,
  );
  const top = String((await served.post('/agents/top/runs')).body['run_id']);
  const waits: string[] = [];
  const events = await follow(served, top, {
    onRun({ agent, waits_for: [wait] = [], spans = [] }) {
      if (wait === undefined) return;
      // What it waits for is also what it spends its time on; a question is planned before it is asked.
      const kinds = wait.for === 'model' ? ['model', 'person'] : [wait.for];
      expect(spans.at(-1)).toEqual([expect.toBeOneOf(kinds), null]);
      waits.push(`${agent} ${wait.for}`);
      if (wait.for === 'model') (agent === 'kid' ? working : seen).open();
      if (wait.for !== 'person') return;
      expect(wait).toMatchObject({ question: 'Deeper?', question_id: 't2c1' });
      void served.post(`/runs/${top}/questions/t2c1/answer`, { json: { choice: 'yes' } }).then(asked.open);
    },
  });
  await asked.opened;
  const states = (agent: string) => events.flatMap(({ runs }) => runs).filter((run) => run.agent === agent);
  expect(waits).toEqual(expect.arrayContaining(['top agents', 'kid model', 'top person', 'top model']));
  const tree = v.parse(Data, (await served.get(`/runs/${top}/tree`)).body).runs;
  expect([states('top').at(-1), states('kid').at(-1)]).toEqual(tree);
  // The run below says nothing while it is as it was.
  expect(states('kid').map(({ status }) => status)).toEqual(['running', 'succeeded']);
});

test('a client that comes back is sent nothing that it has, and told when nothing will follow', async () => {
  const served = await serveAgents({ top: () => 'done' });
  const { body } = await served.post('/agents/top/runs?wait=25');
  const path = `/runs/${String(body['run_id'])}/tree/events`;
  const [event] = await follow(served, String(body['run_id']));
  expect(event).toMatchObject({ runs: [{ agent: 'top', status: 'succeeded' }] });
  const again = await fetch(served.server.url + path, { headers: { 'last-event-id': event?.id ?? '' } });
  expect([again.status, await again.text()]).toEqual([204, '']);
  // One that knows an earlier state gets the tree as it is.
  const behind = await fetch(served.server.url + path, { headers: { 'last-event-id': 'other' } });
  expect(eventsIn(await behind.text())).toEqual([event]);
});

test('a client that comes back is sent what a run did that went on in the same execution and rested again', async () => {
  const served = await serveAgents({ top: () => 'done' });
  const id = String((await served.post('/agents/top/runs?wait=25')).body['run_id']);
  const [before] = await follow(served, id);
  const { store } = served.stage.pipeline;
  const [resumedAt, endedAt] = ['2100-01-01T00:00:00.000Z', '2100-01-01T00:00:01.000Z'];
  await store.updateRun(id, (run) => ({ ...run, status: 'running', resumedAt }));
  await store.updateRun(id, (run) => ({ ...run, status: 'succeeded', endedAt }));
  const [after, ...others] = await follow(served, id, { after: before?.id });
  expect([after?.runs.map((run) => run.ended_at), others]).toEqual([[endedAt], []]);
  const headers = { 'last-event-id': after?.id ?? '' };
  const again = await fetch(`${served.server.url}/runs/${id}/tree/events`, { headers });
  expect(again.status).toBe(204);
});

test('a fork is followed that goes on although the top of its tree ended long ago', async () => {
  const [asked, mayAnswer] = [latch(), latch()];
  const served = await serveAgents(
    {
      async top({ request }) {
        if (!request.messages.some((each) => each.role === 'user' && each.text.includes('p1'))) return 'done';
        asked.open();
        await mayAnswer.opened;
        return 'the copy';
      },
    },
    { top: 'tools = ["fork"]\n' },
  );
  const id = String((await served.post('/agents/top/runs?wait=25')).body['run_id']);
  const { environment, pipeline } = served.stage;
  const ended = await pipeline.store.updateRun(id, (run) => ({ ...run, endedAt: run.startedAt }));
  if (ended === undefined) throw new Error('there is no run');
  const fork = await environment.fork(ended);
  const [last] = (await follow(served, id)).slice(-1);
  await environment.send({ run: fork.id, text: 'p1' });
  await asked.opened;
  const states: string[] = [];
  await follow(served, id, {
    after: last?.id,
    onRun({ run_id: run, status, turns }) {
      if (run === fork.id) states.push(`${status} after ${turns}`);
      if (run === fork.id && status === 'running') mayAnswer.open();
    },
  });
  expect([states.at(0), states.at(-1)]).toEqual(['running after 0', 'idle after 1']);
});

test('calls that failed are counted, as far as their model has read of them', async () => {
  const served = await serveAgents(
    { top: ({ turn }) => (turn === 1 ? [use('read_file', { path: 'no.txt' })] : 'none') },
    { top: 'tools = ["read_file"]\n' },
  );
  const { body } = await served.post('/agents/top/runs?wait=25');
  const [event] = await follow(served, String(body['run_id']));
  expect(event?.runs).toMatchObject([{ failed_calls: 1, tool_calls: 1, retries: 0 }]);
});

test('a wait for an approval is no time of its tool, however its tree is read', async () => {
  const push = use('write_file', { path: 'a.txt', content: 'x' });
  const served = await serveAgents(
    { top: ({ turn }) => (turn === 1 ? [push, push] : 'done') },
    { top: 'tools = ["files"]\npatience = "1h"\n\n[permissions]\nask = ["write_file"]\n' },
  );
  const top = String((await served.post('/agents/top/runs')).body['run_id']);
  const read: unknown[] = [];
  const answered: Promise<unknown>[] = [];
  await follow(served, top, {
    onRun({ waits_for: waits = [], spans = [] }) {
      const asked = waits.flatMap((wait) => (wait.for === 'person' ? wait.question_id : []));
      const [question] = asked;
      if (question === undefined || read.includes(question)) return;
      expect([waits.length, spans.at(-1)]).toEqual([1, ['person', null]]);
      read.push(question);
      const look = async () => {
        const { runs } = v.parse(Data, (await served.get(`/runs/${top}/tree`)).body);
        expect(runs[0]?.spans?.at(-1)).toEqual(['person', null]);
        await served.post(`/runs/${top}/questions/${question}/answer`, { json: { choice: 'deny' } });
      };
      answered.push(look());
    },
  });
  await Promise.all(answered);
  expect(read).toEqual(['t1c1', 't1c2']);
});
