import { expect, test } from 'vitest';
import { createMcpOverHttp } from '../../../src/doors/api/mcp/http.ts';
import { latch, silence } from '../../fixtures/stage.ts';
import { contextOf } from './served-agents.ts';

/** Requests of the protocol's older era, whose clients cancel a call with a request of its own. */
async function openServer() {
  const begun: (() => void)[] = [];
  const { context } = await contextOf({
    top(asked) {
      begun.shift()?.();
      return silence(asked);
    },
  });
  const stops: string[] = [];
  const { environment } = context;
  const heard = {
    ...context,
    environment: {
      ...environment,
      async stop(...[run, cause, by]: Parameters<typeof environment.stop>) {
        stops.push(`${cause}, by ${by}`);
        return environment.stop(run, cause, by);
      },
    },
  };
  const serve = createMcpOverHttp(heard);
  const post = (session: string | undefined, message: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    return serve(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-length': String(Buffer.byteLength(body)),
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session !== undefined && { 'mcp-session-id': session }),
        },
        body,
      }),
      heard,
    );
  };
  return {
    stops,
    open: async () => {
      const clientInfo = { name: 'test', version: '1' };
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
      const response = await post(undefined, { id: 0, method: 'initialize', params });
      await response.text();
      return response.headers.get('mcp-session-id') ?? '';
    },
    /** What the call is answered, once its run has begun. */
    call(session: string | undefined, id: number) {
      const isAsked = latch();
      begun.push(isAsked.open);
      const params = { name: 'top', arguments: { prompt: 'go' } };
      const answer = post(session, { id, method: 'tools/call', params }).then((response) => response.text());
      return { answer, isAsked: isAsked.opened };
    },
    cancel: async (session: string | undefined, requestId: number) =>
      (await post(session, { method: 'notifications/cancelled', params: { requestId } })).status,
  };
}

const STOP = 'its client cancelled the call, by its client';

test('a client over HTTP that cancels its call stops the run, and no other client does', async () => {
  const { open, call, cancel, stops } = await openServer();
  const [one, other] = [await open(), await open()];
  expect(new Set([one, other, '']).size).toBe(3);
  const { answer, isAsked } = call(one, 7);
  await isAsked;
  expect([await cancel(other, 7), await cancel(one, 8), await cancel(undefined, 7)]).toEqual([202, 202, 202]);
  expect(stops).toEqual([]);
  expect(await cancel(one, 7)).toBe(202);
  expect(stops).toEqual([STOP]);
  expect(await answer).toContain('its client cancelled the call');
});

test('a call that was cancelled before it came is stopped as it begins', async () => {
  const { open, call, cancel, stops } = await openServer();
  const one = await open();
  await cancel(one, 7);
  const { answer } = call(one, 7);
  expect(await answer).toContain('its client cancelled the call');
  expect(stops).toEqual([STOP]);
});
