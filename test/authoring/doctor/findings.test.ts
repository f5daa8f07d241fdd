import { expect, test } from 'vitest';
import { checkLimits } from '../../../src/authoring/doctor/check-limits.ts';
import { checkModels } from '../../../src/authoring/doctor/check-models.ts';
import { checkQuotas } from '../../../src/authoring/doctor/check-quotas.ts';
import type { Model, Models } from '../../../src/core/model/model.ts';
import { AgentError, MissingKeyError, ModelError, type ModelErrorCategory } from '../../../src/errors.ts';

const spent = 'of $2.00 spent or held by agents at work today (UTC)';

test.each([
  [1.59, { state: 'ok', found: `$1.59 ${spent}` }],
  [
    1.6,
    {
      state: 'warning',
      found: `$1.60 ${spent}`,
      advice: 'raise the limit, or see what costs so much: cadre costs --env dev',
    },
  ],
  [
    2,
    {
      state: 'wrong',
      found: `$2.00 ${spent}`,
      advice: 'no run starts before midnight (UTC): raise the limit',
    },
  ],
])('a limit per day of which $%d are gone', async (usd, finding) => {
  const shard = async ({ shard: number = 0 }) => ({ settled: number === 3 ? usd * 1e9 : 0, given: {} });
  const records = { dayShards: async () => ({ shard, all: () => expect.fail() }) };
  const perDay = { nanoUsd: 2e9, nanoUsdPerOwner: 1e9 };
  expect(await checkLimits(perDay, records, 0, 'dev')).toEqual([{ what: 'usd_per_day', ...finding }]);
});

test('each model is asked for as little as can be, and a fault says what to do', async () => {
  const asked: unknown[] = [];
  const failing = (category: ModelErrorCategory): Model => ({
    send: () => Promise.reject(new ModelError(category, 'no')),
  });
  const known: Record<string, Model | Error> = {
    counts: { send: () => expect.fail(), countTokens: async (request) => asked.push(request) },
    answers: {
      async send(request) {
        asked.push(request);
        throw new ModelError('overloaded', 'no');
      },
    },
    keyless: new MissingKeyError('set THE_KEY'),
    auth: failing('auth'),
    bad: failing('bad_request'),
    limited: failing('rate_limit'),
    unknown: new AgentError('there is no such provider'),
  };
  const models: Models = {
    async open(name) {
      const model = known[name] ?? expect.fail();
      if (model instanceof Error) throw model;
      return { model, name };
    },
  };
  const found = (await checkModels(Object.keys(known), models)).map(({ what, state, found, advice }) => [
    what,
    state,
    found,
    advice,
  ]);
  expect(found).toEqual([
    ['model counts', 'ok', 'answers', undefined],
    ['model answers', 'wrong', 'overloaded: no', "look at the provider's status page and at the network"],
    ['model keyless', 'wrong', 'no key', 'set THE_KEY'],
    ['model auth', 'wrong', 'auth: no', 'the key is not taken: set another'],
    [
      'model bad',
      'wrong',
      'bad_request: no',
      "look whether the model's name is right, and the account may use it",
    ],
    ['model limited', 'wrong', 'rate_limit: no', 'wait, or have the limit of the account raised'],
    ['model unknown', 'wrong', 'there is no such provider', undefined],
  ]);
  const word = { system: '', messages: [{ role: 'user', text: 'Hello' }], tools: [], maxTokens: 16 };
  expect(asked).toEqual(['counts', 'answers'].map((model) => ({ model, ...word })));
});

test.each([
  ['us-east-1', '1,300', '1,000', '5,000', '1,000', '10,000'],
  ['eu-north-1', '800', '250', '500', '500', '10,000'],
  ['ap-southeast-3', '800', '250', '500', '500', '2,500'],
])('where quotas are not known, what is documented for %s is taken', async (region, ...documented) => {
  const [starts, stops, transitions, due, requests] = documented;
  const needs = Promise.resolve({ plans: [], schedules: 501 });
  const findings = await checkQuotas(region, needs, async () => new Map());
  const units = (name: string) => `${name} a second: ∞ trees of no agent may begin each second`;
  expect(findings.map(({ state, found }) => `${state} ${found}`)).toEqual(
    [
      `ok ${starts} at once; a tree of no agent starts 0`,
      `ok ${stops} at once; stopping a tree of no agent takes 0`,
      `ok ${transitions} ${units('state transitions')}`,
      'ok 1,000,000 at once; a tree of no agent has 0',
      `ok 40,000 ${units('read units')}`,
      `ok 40,000 ${units('write units')}`,
      `${due === '500' ? 'warning' : 'ok'} ${due} a second; 501 schedules may be due at once`,
      `ok ${requests} requests a second for all APIs; this one takes 50, and more of those who follow runs`,
    ].map((line) => `${line} (as documented for ${region})`),
  );
});
