import { describe, expect, test } from 'vitest';
import { createOfflineModel } from '../../src/providers/offline/offline.ts';
import { modelFor } from '../../src/places/models/registry.ts';
import { STRIDE } from '../fixtures/nightly.ts';
import { responsesOf } from '../fixtures/provider-responses.ts';
import { isCut, outcomeOf } from './outcomes.ts';
import { stubAws, WIRES } from './wires.ts';

const URL = 'http://models.test';

describe.each(Object.entries(WIRES))('%s', (name, wire) => {
  const streams = responsesOf(name).filter(({ isStream }) => isStream);

  test.each(streams)('has a whole answer from one byte of $name on, and none before', async (response) => {
    let body = response.body;
    stubAws();
    const { model } = await modelFor(wire.model, {
      apiKey: () => 'a-key',
      baseUrl: () => URL,
      fetch: () => Promise.resolve(new Response(body.slice(), { headers: response.headers })),
      scripted: createOfflineModel,
    });
    const { told: _, ...whole } = await outcomeOf(model, wire, URL, response);
    const fromFirst: { end: number }[] = [];
    for (let end = 0; end < response.body.length; end += STRIDE * stepOf(name, response.body.length)) {
      body = response.body.subarray(0, end);
      const { told: __, ...outcome } = await outcomeOf(model, wire, URL, response);
      if (fromFirst.length > 0 || !isCut(outcome)) fromFirst.push({ end, ...outcome });
    }
    expect(fromFirst).toEqual(fromFirst.map(({ end }) => ({ end, ...whole })));
  });
});

/** The SDK takes its time; long streams consist mostly of unread parts. */
function stepOf(wire: string, length: number): number {
  if (wire === 'bedrock') return 7;
  return length < 2000 ? 1 : 3;
}
