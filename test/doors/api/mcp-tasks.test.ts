import { expect, test } from 'vitest';
import * as v from 'valibot';
import { createMcpOverHttp } from '../../../src/doors/api/mcp/http.ts';
import { slowly } from '../../fixtures/slowly.ts';
import { silence } from '../../fixtures/stage.ts';
import { plainRequest, TASKS } from './mcp-client.ts';
import { contextOf } from './served-agents.ts';

const Answer = v.object({ result: v.looseObject({ taskId: v.optional(v.string()) }) });

test('a call is answered by a task, and the cancellation of that, once the one is noted and the other is done', async () => {
  const { context } = await contextOf({ top: (asked) => silence(asked) });
  const done: string[] = [];
  const { environment } = context;
  const slow = {
    ...context,
    answerSeconds: 0.01,
    environment: {
      ...environment,
      once: slowly<Parameters<typeof environment.once>, Awaited<ReturnType<typeof environment.once>>>(
        async (key, value) => {
          const kept = await environment.once(key, value);
          if (value.digest === 'task') done.push('noted');
          return kept;
        },
      ),
      stop: slowly<Parameters<typeof environment.stop>, Awaited<ReturnType<typeof environment.stop>>>(
        async (...given) => {
          const stopped = await environment.stop(...given);
          done.push('stopped');
          return stopped;
        },
      ),
    },
  };
  const serve = createMcpOverHttp(slow);
  const ask = async (method: string, params: Record<string, unknown>) => {
    const response = await serve(plainRequest('http://localhost', method, params, TASKS), slow);
    const { result } = v.parse(Answer, await response.json());
    done.push(method);
    return result;
  };
  const { taskId } = await ask('tools/call', { name: 'top', arguments: { prompt: 'go' } });
  expect(await ask('tasks/cancel', { taskId })).toMatchObject({ resultType: 'complete' });
  expect(done).toEqual(['noted', 'tools/call', 'stopped', 'tasks/cancel']);
});
