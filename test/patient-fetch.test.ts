import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createPatientFetch } from '../src/patient-fetch.ts';
import { serveOnLoopback } from './fixtures/loopback.ts';

/** A server that shows no more than the beginning of its answers until it is told to. */
async function silentServer(beginning: string) {
  const waiting: ServerResponse[] = [];
  let isSilent = true;
  const { endpoint, close } = await serveOnLoopback((_, response) => {
    if (beginning !== '') response.write(beginning);
    if (isSilent) waiting.push(response);
    else response.end('at last');
  });
  onTestFinished(close);
  return {
    ask: async (fetchIt: typeof fetch, init: RequestInit = {}) => (await fetchIt(endpoint, init)).text(),
    speak() {
      isSilent = false;
      waiting.forEach((response) => response.end('at last'));
    },
  };
}

/** The requests that reach the process's own dispatcher. */
function recordDispatches(): object[] {
  const place = Symbol.for('undici.globalDispatcher.1');
  const own: { dispatch(options: object, handler: object): boolean } = Reflect.get(globalThis, place);
  const dispatched: object[] = [];
  Reflect.set(globalThis, place, {
    dispatch(options: object, handler: object) {
      dispatched.push(options);
      return own.dispatch(options, handler);
    },
  });
  onTestFinished(() => void Reflect.set(globalThis, place, own));
  return dispatched;
}

test('an answer that does not begin, or stops half-way, is waited for when others have given it up', async () => {
  const half = { '': 'UND_ERR_HEADERS_TIMEOUT', 'one, ': 'UND_ERR_BODY_TIMEOUT' };
  await Promise.all(
    Object.entries(half).map(async ([beginning, code]) => {
      const { ask, speak } = await silentServer(beginning);
      const patient = ask(createPatientFetch());
      await expect(ask(createPatientFetch(1))).rejects.toMatchObject({ cause: { code } });
      speak();
      expect(await patient).toBe(`${beginning}at last`);
    }),
  );
});

test.each(['', 'one, '])('an answer that stops after %j is given up with the signal', async (beginning) => {
  const { ask } = await silentServer(beginning);
  const signal = AbortSignal.timeout(1);
  await expect(ask(createPatientFetch(), { signal })).rejects.toMatchObject({ name: 'TimeoutError' });
});

test('no time-out of the transport is left, whatever its dispatcher has by itself', async () => {
  const { endpoint, close } = await serveOnLoopback((_, response) => void response.end('at once'));
  onTestFinished(close);
  await fetch(endpoint); // loads the dispatcher
  const dispatched = recordDispatches();
  const answer = await createPatientFetch()(endpoint, { method: 'POST', body: '{}' });
  expect(await answer.text()).toBe('at once');
  expect(dispatched).toMatchObject([{ method: 'POST', headersTimeout: 0, bodyTimeout: 0 }]);
});
