import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { forgetUnusedGrants } from '../../src/places/aws/cloud-versions.ts';
import { latch } from '../fixtures/stage.ts';
import { makeFolder } from '../fixtures/temp-folder.ts';
import { SILENCE, type Role } from './converse.ts';
import { startRehearsal, type Rehearsal } from './rehearsal.ts';
import { ACCOUNT, REGION } from './stack.ts';

const DAY_MS = 86_400_000;

/** What a project deploys: an agent with a model, a function that exists already, and a function made of a module. */
const project = (age: 'old' | 'new') => ({
  agents: {
    clerk: [
      'name = "clerk"',
      `model = "bedrock/anthropic.claude-${age}"`,
      '[[functions]]',
      'name = "stock"',
      'description = "Counts what is there"',
      `function = "stock-${age}"`,
      '[[functions]]',
      'name = "price"',
      'description = "Says what it costs"',
      'file = "tools/price.ts"',
    ].join('\n'),
  },
  modules: { price: `export const handler = () => '${age} price';` },
});

/** Opened when a first turn is asked for whose prompt is `wait`, which is answered then. */
const asked = latch();
const deployed = latch();
let isSilent = true;
const clerk =
  (age: string): Role =>
  async ({ told, results }) => {
    if (results.length > 0) return `${age} model, ${results.map(({ text }) => text).join(', ')}`;
    if (told === 'wait') {
      asked.open();
      await deployed.opened;
    }
    if (told === 'be stopped' && isSilent) return SILENCE;
    return ['stock', 'price'].map((tool) => ({ tool, input: {} }));
  };

// Milliseconds: functions start from cold, each in a process of its own.
describe('a deployment with another model and other functions', () => {
  let rehearsal: Rehearsal;
  let folder: string;
  let keptGrants: string;

  beforeAll(async () => {
    folder = await makeFolder(
      Object.fromEntries(
        ['old', 'new'].map((age) => [
          `${age}/index.mjs`,
          `export const handler = async () => 'stock-${age}';`,
        ]),
      ),
    );
    keptGrants = join(folder, 'cadre.grants.json');
    rehearsal = await startRehearsal({
      ...project('old'),
      settings: { keptGrants },
      roles: { old: clerk('old'), new: clerk('new') },
    });
    const existing = ['old', 'new'].map((age) => ({
      arn: `arn:aws:lambda:${REGION}:${ACCOUNT}:function:stock-${age}`,
      name: `stock-${age}`,
      folder: join(folder, age),
      handler: 'index.handler',
      environment: {},
      timeoutSeconds: 9,
      memoryMb: 128,
    }));
    rehearsal.lambda.deploy(existing, rehearsal.environment);
  });
  beforeEach(() => {
    for (const [name, value] of Object.entries(rehearsal.environment)) vi.stubEnv(name, value);
  });
  afterAll(async () => {
    await rehearsal.close();
    await rm(folder, { recursive: true });
  });

  const post = (path: string, json: unknown = {}) => rehearsal.askApi('POST', path, { caller: 'ada', json });
  const start = async (prompt: string) =>
    String((await post('/agents/clerk/runs', { prompt })).body['run_id']);
  const answerTo = async (run: string, wait = 25) =>
    (await rehearsal.askApi('GET', `/runs/${run}/result?wait=${wait}`, { caller: 'ada' })).body;
  /** The same settings as before, with the newer agents. */
  const deployNext = () => rehearsal.redeploy({ ...project('new'), settings: { keptGrants } });

  async function stopped(): Promise<string> {
    const before = rehearsal.asked();
    const run = await start('be stopped');
    await expect.poll(() => rehearsal.asked(), { timeout: 20_000 }).toBe(before + 1);
    await post(`/runs/${run}/stop`);
    expect(await answerTo(run)).toMatchObject({ status: 'stopped' });
    return run;
  }

  test('leaves those that are open, idle or stopped with what they were opened with, until `gc --versions` finds nothing that needs it', async () => {
    const answered = await start('go');
    expect(await answerTo(answered)).toMatchObject({ content: 'old model, stock-old, old price' });
    const idle = String((await post(`/runs/${answered}/fork`)).body['run_id']);
    const [resumed, forgotten] = [await stopped(), await stopped()];
    const open = await start('wait');
    await asked.opened;

    await deployNext();
    deployed.open();
    isSilent = false;

    // Its execution calls the version of the module that it began with; others go by the newest machine.
    expect(await answerTo(open)).toMatchObject({ content: 'old model, stock-old, old price' });
    await post(`/runs/${idle}/messages`, { text: 'again' });
    await expect
      .poll(async () => (await answerTo(idle, 0))['content'], { timeout: 20_000 })
      .toBe('old model, stock-old, new price');
    await post(`/runs/${resumed}/resume`);
    expect(await answerTo(resumed)).toMatchObject({ content: 'old model, stock-old, new price' });
    expect(await answerTo(await start('go'))).toMatchObject({ content: 'new model, stock-new, new price' });

    const forget = (days: number) =>
      forgetUnusedGrants('dev', folder, { dryRun: false, now: Date.now() + days * DAY_MS });
    expect(await forget(1)).toEqual([]);
    expect(await forget(99)).toEqual(['bedrock/anthropic.claude-old', 'stock-old']);
    await deployNext();
    await post(`/runs/${forgotten}/resume`);
    expect(await answerTo(forgotten)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('not authorized to perform bedrock:InvokeModel'),
    });
    expect(rehearsal.events.deadLetters).toEqual([]);
  });
});
