import { expect, test } from 'vitest';
import { StoreUnavailableError } from '../../../src/errors.ts';
import { createApi } from '../../../src/doors/api/api.ts';
import type { ApiFault } from '../../../src/doors/api/context.ts';
import { openingsIn } from '../../../src/doors/api/folder-context.ts';
import { latch, type Role } from '../../fixtures/stage.ts';
import { contextOf } from './served-agents.ts';

const THROWN = new StoreUnavailableError('cannot read: too many requests');

/** An API whose store fails while a client follows a run. */
async function openBroken(top: Role) {
  const { context, cwd } = await contextOf({ top });
  const logged: ApiFault[] = [];
  const followed: string[] = [];
  const { environment } = context;
  const api = createApi({
    ...context,
    openings: openingsIn(cwd),
    log: (fault) => void logged.push(fault),
    environment: {
      ...environment,
      async *follow(id, ...given) {
        followed.push(id);
        yield* firstOf(environment.follow(id, ...given));
        throw THROWN;
      },
    },
  });
  const post = (path: string, body: object) =>
    api.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return { api, post, logged, followed, environment };
}

async function* firstOf<T>(all: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const one of all) {
    yield one;
    return;
  }
}

test('a stream of events that a fault of ours cuts off is in the log, and its client comes back for the rest', async () => {
  const { api, post, logged } = await openBroken(() => 'done');
  const started = await post('/agents/top/runs?wait=25', { prompt: 'go' });
  const id = String(JSON.parse(await started.text()).run_id);
  const path = `/runs/${id}/events`;
  const answer = await api.request(path);
  await expect(answer.text()).rejects.toThrow(THROWN.message);
  expect(logged).toEqual([{ id: expect.any(String), method: 'GET', path, thrown: THROWN }]);
});

test('a client of AG-UI is told of a fault of ours, and its run goes on', async () => {
  const goesOn = latch();
  const { post, logged, followed, environment } = await openBroken(async () => {
    await goesOn.opened;
    return 'done';
  });
  const messages = [{ id: 'm1', role: 'user', content: 'hello' }];
  const answer = await post('/agents/top/ag-ui', { threadId: 'thread', runId: 'r', messages });
  const events = (await answer.text()).match(/(?<=^data: ).*$/gm)?.map((line) => JSON.parse(line)) ?? [];
  expect(logged).toMatchObject([{ method: 'POST', path: '/agents/top/ag-ui', thrown: THROWN }]);
  const message = `a service is throttled or does not answer: try again later; the log has the details under ${logged[0]?.id}`;
  expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'request_failed', message });
  goesOn.open();
  expect(await environment.ended(followed[0] ?? '')).toMatchObject({ status: 'succeeded' });
});
