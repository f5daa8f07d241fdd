import { expect, test } from 'vitest';
import { createApi } from '../../../src/doors/api/api.ts';
import { openingsIn } from '../../../src/doors/api/folder-context.ts';
import { latch, silence } from '../../fixtures/stage.ts';
import { contextOf } from './served-agents.ts';

test('nobody waits for the end of a run any longer whose client has left', async () => {
  const waits = latch();
  const { context, cwd } = await contextOf({ top: (asked) => silence(asked) });
  const { environment } = context;
  let waiting: AbortSignal | undefined;
  const api = createApi({
    ...context,
    openings: openingsIn(cwd),
    environment: {
      ...environment,
      ended(id, options) {
        waiting = options?.signal;
        waits.open();
        return environment.ended(id, options);
      },
    },
  });
  const client = new AbortController();
  const answer = api.request('/agents/top/runs?wait=25', { method: 'POST', signal: client.signal });
  await waits.opened;
  client.abort();
  expect(waiting?.aborted).toBe(true);
  expect((await answer).status).toBe(202);
});
