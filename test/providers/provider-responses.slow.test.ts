import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listenOnLoopback, type LoopbackServer } from '../fixtures/loopback.ts';
import { sample } from '../fixtures/nightly.ts';
import { responsesOf, unpaired, type ProviderResponse } from '../fixtures/provider-responses.ts';
import { isCut, outcomeOf } from './outcomes.ts';
import { modelAt, WIRES } from './wires.ts';

/** The server's next bytes, from the status line to the end of the connection. */
let reply: Uint8Array;
let server: LoopbackServer;
beforeAll(async () => {
  const player = createServer((request) => request.resume().on('end', () => request.socket.end(reply)));
  server = await listenOnLoopback(player);
});
afterAll(() => server.close());

/** @param announced how long the body is said to be; absent: it ends with the connection */
function toReply({ head }: ProviderResponse, body: Uint8Array, announced?: number): Uint8Array {
  const length = announced === undefined ? '' : `content-length: ${announced}\r\n`;
  return Buffer.concat([Buffer.from(`${head}${length}connection: close\r\n\r\n`, 'latin1'), body]);
}

describe.each(Object.entries(WIRES))('%s', (name, wire) => {
  const responses = responsesOf(name);

  test('has at least forty responses, each with its outcome', () => {
    expect(unpaired(name)).toEqual([]);
    expect(responses.length).toBeGreaterThanOrEqual(40);
  });

  test.each(responses)('answers as in $name', async (response) => {
    const { model } = await modelAt(server.endpoint, wire);
    reply = toReply(response, response.body);
    const { told, ...outcome } = await outcomeOf(model, wire, server.endpoint, response);
    const kept = { ...outcome, ...(told.thinking !== '' && { thinking: told.thinking }) };
    await expect(`${JSON.stringify(kept, null, 2)}\n`).toMatchFileSnapshot(response.outcome);
    if (response.isStream && outcome.answer !== undefined) expect(told.text).toBe(outcome.answer.text);
  });

  const cuttable = responses.filter(({ isStream, head }) => isStream && !head.includes('content-length'));

  test.each(sample(8, cuttable))(
    'has no half of an answer where the stream of $name is cut',
    async (response) => {
      const { model } = await modelAt(server.endpoint, wire);
      const { body, outcome } = response;
      const playedTo = async (part: number, announced?: number) => {
        reply = toReply(response, body.subarray(0, Math.floor(part * body.length)), announced);
        const { told: _, ...cut } = await outcomeOf(model, wire, server.endpoint, response);
        return cut;
      };
      // `provider-cuts.slow.test.ts` cuts each of them everywhere, and needs no server for that.
      const lost = await playedTo(0.4, body.length);
      const endedEarly = await playedTo(0.9);
      const { thinking: _, ...whole }: Record<string, unknown> = JSON.parse(await readFile(outcome, 'utf8'));
      const uncut = [lost, endedEarly].filter((cut) => !isCut(cut));
      expect(uncut).toEqual(uncut.map(() => whole));
    },
  );
});
