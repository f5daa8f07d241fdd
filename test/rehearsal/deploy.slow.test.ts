import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { forgetUnusedGrants } from '../../src/places/aws/cloud-versions.ts';
import { openCloudEnvironment } from '../../src/places/aws/cloud-environment.ts';
import { takesNext } from '../../src/core/agent-schema/packs.ts';
import { newRunId } from '../../src/core/records/run-id.ts';
import { typed } from '../fixtures/typed.ts';
import { latch } from '../fixtures/stage.ts';
import { makeFolder, tempFolder } from '../fixtures/temp-folder.ts';
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

/** Agents of a name in each pack: a caller, which first waits where it is told to, and the sub-agent that it calls. */
const packOf = (age: 'old' | 'new') => ({
  lead: `name = "lead"\nmodel = "bedrock/anthropic.claude-${age}lead"\nsub_agents = ["helper"]\n`,
  helper: `name = "helper"\nmodel = "bedrock/anthropic.claude-${age}helper"\n`,
});
const leadAsked = latch();
const goneBack = latch();
const lead: Role = async ({ told, results }) => {
  if (results.length > 0) return `told: ${results.map(({ text }) => text).join(', ')}`;
  if (told === 'wait') {
    leadAsked.open();
    await goneBack.opened;
  }
  return [{ call: 'helper', task: 'help' }];
};

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
      roles: {
        old: clerk('old'),
        new: clerk('new'),
        oldlead: lead,
        newlead: lead,
        oldhelper: () => 'old help',
        newhelper: () => 'new help',
      },
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
    await expect.poll(() => rehearsal.asked()).toBe(before + 1);
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
      .poll(async () => (await answerTo(idle, 0))['content'])
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

  test('gives a share of new trees the next agents, which all below them take, until one command takes it back', async () => {
    await rehearsal.redeploy({
      agents: packOf('old'),
      modules: {},
      next: { share: 0.5, agents: packOf('new') },
      settings: { keptGrants },
    });
    const cwd = await tempFolder({});
    const cadre = (...args: string[]) => typed([...args, '--env', 'dev'], cwd);
    const environment = await openCloudEnvironment('dev');
    /** A new tree whose id has it take the next pack, or not. */
    const run = async (isNext: boolean, prompt: string) => {
      let id = newRunId('lead', Date.now());
      while (takesNext(id, 0.5) !== isNext) id = newRunId('lead', Date.now());
      await environment.start({ id, request: { agent: 'lead', prompt } });
      return id;
    };
    const treeOf = async (id: string) => {
      const { content } = await answerTo(id);
      const tree = await environment.records.tree(id);
      return { content, packs: tree.map(({ pack }) => pack?.replace(/[0-9a-f]{12}$/, '…')) };
    };
    const OLD = { content: 'told: old help', packs: ['agents@…', 'agents@…'] };
    const NEW = { content: 'told: new help', packs: ['agents-next@…', 'agents-next@…'] };
    const waiting = await run(true, 'wait');
    await leadAsked.opened;
    const [current, next] = [await run(false, 'go'), await run(true, 'go')];
    expect([await treeOf(current), await treeOf(next)]).toEqual([OLD, NEW]);
    // The API writes the record ahead of the execution, of the pack that the execution then takes.
    const asked = await post('/agents/lead/runs', { prompt: 'go' });
    const byApi = String(asked.body['run_id']);
    const folder = takesNext(byApi, 0.5) ? 'agents-next' : 'agents';
    expect(asked.body['pack']).toMatch(new RegExp(`^${folder}@[0-9a-f]{12}$`));
    expect(await treeOf(byApi)).toEqual(folder === 'agents' ? OLD : NEW);

    const back = await cadre('rollout', '--back');
    expect(back).toMatchObject({ code: 0 });
    expect(back.out).toMatch(
      /^agents@\w{12} +100 % of new trees +0 trees at work\nagents-next@\w{12} +0 % of new trees +1 tree at work\nset by /,
    );
    expect(back.err).toMatch(
      /^agents-next@\w{12} stays deployed until what is at work of it has ended: 1 tree\n$/,
    );
    goneBack.open();
    expect(await treeOf(waiting)).toEqual(NEW);
    expect(await treeOf(await run(true, 'go'))).toEqual(OLD);
    // The same agents are deployed with other ones beside them: what was taken back stays so.
    await rehearsal.redeploy({
      agents: { ...packOf('old'), other: packOf('old').helper.replace('helper', 'other') },
      modules: {},
      next: { share: 0.5, agents: packOf('new') },
      settings: { keptGrants },
    });
    expect(await treeOf(await run(true, 'go'))).toEqual(OLD);
    expect((await cadre('rollout', '--promote')).err).toMatch(
      /^no tree at work needs agents@\w{12} any more; to end the rollout, put the files of agents-next in place of those of agents, take "rollout" out of cdk.json, and deploy\n$/,
    );
    expect(await treeOf(await run(false, 'go'))).toEqual(NEW);

    const listed = await cadre('runs', '--pack', 'agents-next', '--json');
    expect(new Set(JSON.parse(listed.out).map((one: { run_id: string }) => one.run_id))).toContain(waiting);
    expect(listed.out).not.toContain('agents@');
    const costs = await cadre('costs', '--by', 'pack', '--json');
    expect(
      JSON.parse(costs.out)
        .map((row: { pack?: string }) => row.pack?.split('@')[0] ?? '')
        .sort(),
    ).toEqual(['', 'agents', 'agents', 'agents-next']);
    await environment.close();
    expect(rehearsal.events.deadLetters).toEqual([]);
  });
});
