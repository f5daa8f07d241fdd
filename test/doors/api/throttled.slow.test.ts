import * as v from 'valibot';
import { expect, test } from 'vitest';
import { StoreUnavailableError } from '../../../src/errors.ts';
import { createApi } from '../../../src/doors/api/api.ts';
import type { ApiFault } from '../../../src/doors/api/context.ts';
import { openingsIn } from '../../../src/doors/api/folder-context.ts';
import { contextOf, problem } from './served-agents.ts';

test('a client learns that what a throttled service has failed can be tried again, and the log which one it was', async () => {
  const { context, cwd } = await contextOf({ top: () => 'done' });
  const logged: ApiFault[] = [];
  const thrown = new StoreUnavailableError('cannot describe execution arn:1: too many requests');
  const api = createApi({
    ...context,
    openings: openingsIn(cwd),
    log: (fault) => void logged.push(fault),
    environment: {
      ...context.environment,
      async resume() {
        throw thrown;
      },
    },
  });
  const body = JSON.stringify({ prompt: 'go' });
  const headers = { 'content-type': 'application/json' };
  const started = await api.request('/agents/top/runs?wait=25', { method: 'POST', headers, body });
  const { run_id: run } = v.parse(v.object({ run_id: v.string() }), await started.json());
  const answer = await api.request(`/runs/${run}/resume`, { method: 'POST' });
  const detail =
    'a service is throttled or does not answer: try again later; the log has the details under this id';
  expect([answer.status, await answer.json()]).toEqual([
    503,
    { ...problem(503, 'Service Unavailable', detail), id: logged[0]?.id },
  ]);
  expect(logged).toEqual([{ id: expect.any(String), method: 'POST', path: `/runs/${run}/resume`, thrown }]);
});
