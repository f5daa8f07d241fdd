import * as v from 'valibot';
import { expect, test } from 'vitest';
import { StoreUnavailableError } from '../../../src/errors.ts';
import { createApi } from '../../../src/doors/api/api.ts';
import type { ApiFault } from '../../../src/doors/api/context.ts';
import { openingsIn } from '../../../src/doors/api/folder-context.ts';
import { createOpenAiApi } from '../../../src/doors/api/openai/openai-api.ts';
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

test('a client of OpenAI may send again what a throttled service has refused to start, and nothing that has begun', async () => {
  const { context } = await contextOf({ top: () => 'done' });
  const thrown = new StoreUnavailableError('cannot write: too many requests');
  const complete = async (environment: Partial<typeof context.environment>) => {
    const logged: ApiFault[] = [];
    const log = (fault: ApiFault) => void logged.push(fault);
    const api = createOpenAiApi({
      ...context,
      log,
      environment: { ...context.environment, ...environment },
    });
    const body = JSON.stringify({ model: 'cadre/top', messages: [{ role: 'user', content: 'go' }] });
    const headers = { 'content-type': 'application/json' };
    const answer = await api.request('/v1/chat/completions', { method: 'POST', headers, body });
    const message = `a service is throttled or does not answer: try again later; the log has the details under ${logged[0]?.id}`;
    return { status: answer.status, body: await answer.json(), message, logged: logged.length };
  };
  const refuse = async () => {
    throw thrown;
  };
  const error = (message: string) => ({ error: { message, type: 'server_error', param: null, code: null } });
  const refused = await complete({ start: refuse });
  expect(refused).toEqual({ ...refused, status: 503, body: error(refused.message), logged: 1 });
  const lost = await complete({ ended: refuse });
  expect(lost).toEqual({ ...lost, status: 422, body: error(lost.message), logged: 1 });
});
