import { describe, expect, test } from 'vitest';
import { startBatchServer, type BatchServer, type Fate } from '../fixtures/batch-server.ts';
import { rehearsal } from './deployed.ts';

const agent = (name: string, more = '') => `name = "${name}"\nmodel = "openai/gpt-4.1"\n${more}`;
export const AGENTS = {
  nightly: agent('nightly', 'sub_agents = ["nightshift"]\n[params]\nservice = "batch"\n'),
  nightshift: agent('nightshift'),
};

export const SECRETS = { openai: 'a-key-of-ours' };

/** The provider whose batches the functions use. */
let provider: BatchServer;
let isOver = () => true;

/** Starts it ahead of the deployment. @returns the settings by which functions reach it */
export async function startProvider() {
  provider = await startBatchServer({
    answer: ({ messages }) => lineOf(JSON.stringify(messages)),
    // Nobody knows what became of the first.
    creating: (index) => (index === 0 ? 'answer is lost' : 'nothing'),
    isOver: (batch) => batch.isCancelled || isOver(),
    now: () => rehearsal.clock.now(),
  });
  return { providers: { openai: { baseUrl: provider.url } } };
}

export const stopProvider = () => provider.close();

/** Each answer takes 1,000 tokens and 100 more, at $2 and $8 for a million, which a batch halves. */
const USD = 0.0028 / 2;

function lineOf(messages: string): Fate {
  const isBack = messages.includes('"role":"tool"');
  const isCall = messages.includes('the night') && !isBack;
  const called = { name: 'call_agent', arguments: JSON.stringify({ agent: 'nightshift', task: 'work' }) };
  const message = isCall
    ? { tool_calls: [{ id: 'c1', type: 'function', function: called }] }
    : { content: isBack ? 'It was quiet.' : 'Worked.' };
  return {
    message: {
      choices: [
        { message: { role: 'assistant', ...message }, finish_reason: isCall ? 'tool_calls' : 'stop' },
      ],
      usage: { prompt_tokens: 1_000, completion_tokens: 100 },
    },
  };
}

const post = (path: string, json: unknown = {}) => rehearsal.askApi('POST', path, { caller: 'ada', json });
const recordOf = async (run: string) =>
  (await rehearsal.askApi('GET', `/runs/${run}`, { caller: 'ada' })).body;

/** Lets time go by until it is so. */
async function passUntil(isSo: () => Promise<boolean> | boolean): Promise<void> {
  await expect
    .poll(
      async () => {
        rehearsal.clock.skip(20_000);
        return isSo();
      },
      { timeout: 60_000, interval: 200 },
    )
    .toBe(true);
}

/** The executions that look after buckets. */
function buckets() {
  const machine = rehearsal.machines.listStateMachines().find(({ name }) => name === 'cadre-dev-batches');
  return rehearsal.machines.listExecutions({ stateMachineArn: machine?.stateMachineArn ?? '' });
}

// Milliseconds: functions start from cold, each in a process of its own.
export const describeBatches = () =>
  describe('a run whose models are asked in batches', () => {
    test('waits for them with a task token, and so does its sub-agent; nothing is asked twice', async () => {
      const run = String((await post('/agents/nightly/runs', { prompt: 'the night' })).body['run_id']);
      await passUntil(async () => (await recordOf(run))['status'] !== 'running');
      expect(await recordOf(run)).toMatchObject({
        status: 'succeeded',
        turns: 2,
        tree: { runs: 2, turns: 3, usd: expect.closeTo(3 * USD, 9) },
      });
      expect((await rehearsal.askApi('GET', `/runs/${run}/result`, { caller: 'ada' })).body).toMatchObject({
        content: 'It was quiet.',
      });
      const sent = provider.batches.flatMap(({ requests }) => requests.map(({ id }) => id));
      expect([sent.length, new Set(sent).size, provider.alone]).toEqual([3, 3, []]);
      expect(provider.headers()['authorization']).toBe('Bearer a-key-of-ours');
      // Each bucket has an execution of its own, which ends once its answer is taken.
      await passUntil(() => buckets().every(({ status }) => status !== 'RUNNING'));
      expect(buckets().map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED']);
      expect(rehearsal.lambda.log.join('')).not.toContain('a-key-of-ours');
    });

    test('is stopped while it waits: its batch is cancelled, and what was answered is paid for', async () => {
      isOver = () => false;
      const before = provider.batches.length;
      const run = String((await post('/agents/nightly/runs', { prompt: 'the night' })).body['run_id']);
      await passUntil(() => provider.batches.length > before);
      expect(await post(`/runs/${run}/stop`)).toMatchObject({ status: 202 });
      await passUntil(() => provider.batches.at(-1)?.isCancelled === true);
      await passUntil(async () => (await recordOf(run))['usd'] === USD);
      expect(await recordOf(run)).toMatchObject({ status: 'stopped', turns: 0 });
      await passUntil(() => buckets().every(({ status }) => status !== 'RUNNING'));
      expect(provider.batches).toHaveLength(before + 1);
    });
  });
