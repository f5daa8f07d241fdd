import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listenOnLoopback, type LoopbackServer } from '../fixtures/loopback.ts';
import { responsesOf, unpaired, type ProviderResponse } from '../fixtures/provider-responses.ts';
import { isCut, outcomeOf } from './outcomes.ts';
import { modelAt, WIRES } from './wires.ts';

/** What the server sends next, from the status line to the end of the connection. */
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

  test.each(cuttable)('has no half of an answer where the stream of $name is cut', async (response) => {
    const { model } = await modelAt(server.endpoint, wire);
    const { length } = response.body;
    const playedTo = async (end: number, announced?: number) => {
      reply = toReply(response, response.body.subarray(0, end), announced);
      return outcomeOf(model, wire, server.endpoint, response);
    };
    const { told: _, ...whole } = await playedTo(length);
    const uncut: { end: number }[] = [];
    for (const [index, end] of sampleOf(length).entries()) {
      // The connection is lost, or the server ends the answer as if that were all.
      const { told: __, ...outcome } = await playedTo(end, index % 2 === 0 ? length : undefined);
      if (!isCut(outcome)) uncut.push({ end, ...outcome });
    }
    expect(uncut).toEqual(uncut.map(({ end }) => ({ end, ...whole })));
  });
});

/** Some places where a stream of so many bytes is cut; `provider-cuts.slow.test.ts` cuts everywhere. */
function sampleOf(length: number): number[] {
  return [0.1, 0.4, 0.7, 0.95].map((part) => Math.floor(part * length));
}
