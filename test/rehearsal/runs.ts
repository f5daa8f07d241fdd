import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { runOfExecution, tickRunId } from '../../src/core/records/run-id.ts';
import { sentEvents, type SentEvent } from '../fixtures/server-sent-events.ts';
import { latch } from '../fixtures/stage.ts';
import { SILENCE, type Asked, type Role } from './converse.ts';
import { SETTINGS } from './coding.ts';
import { rehearsal } from './deployed.ts';
import { ACCOUNT, REGION } from './stack.ts';

const bedrock = (name: string, more = '') =>
  `name = "${name}"\nmodel = "bedrock/anthropic.claude-${name}"\n${more}`;
export const AGENTS = {
  asker: bedrock('asker', 'sub_agents = ["kid", "keyless", "nobody"]\n'),
  kid: bedrock('kid'),
  keyless: 'name = "keyless"\nmodel = "anthropic/claude-sonnet-4-5"\n',
  nobody: bedrock('nobody'),
  waiter: bedrock('waiter', 'sub_agents = ["silent"]\n'),
  silent: bedrock('silent'),
  mortal: bedrock('mortal'),
  wordy: bedrock('wordy'),
  daily: `name = "daily"\nmodel = "offline/extractive"
[schedule]
cron = "0 7 ? * MON-FRI *"
timezone = "Europe/Berlin"
prompt = "What is to be done today?"
`,
};
/** More than Lambda answers with. */
const WORDS = 'Größe "x"\\\n'.repeat(600_000);

/** The functions are deployed without it. */
export const LOST = ['nobody'];

const askerAsked: Asked[] = [];
let silentAsked = latch();
export const ROLES: Record<string, Role> = {
  asker(asked) {
    askerAsked.push(asked);
    if (asked.turn > 1) return 'One of three answered.';
    return ['kid', 'keyless', 'nobody'].map((call) => ({ call, task: 'a secret task' }));
  },
  kid: () => 'the kid answers',
  waiter: () => [{ call: 'silent', task: 'say nothing' }],
  silent({ turn }) {
    if (turn === 1) silentAsked.open();
    return SILENCE;
  },
  mortal: () => 'last words',
  wordy: () => WORDS,
};

const caller = 'ada';
const post = (path: string, json: unknown = {}) => rehearsal.askApi('POST', path, { caller, json });
const get = (path: string) => rehearsal.askApi('GET', path, { caller });

/** A record is closed before its execution has ended. */
const ended = (run: unknown) =>
  rehearsal.machines.ended(`arn:aws:states:${REGION}:${ACCOUNT}:execution:cadre-dev:${String(run)}`);

const Tree = v.object({ runs: v.array(v.object({ run_id: v.string(), status: v.string() })) });
/** The last part of each run's id, which is its place in the tree, and its state. */
async function tree(run: unknown): Promise<[string, string][]> {
  const { runs } = v.parse(Tree, (await get(`/runs/${String(run)}/tree`)).body);
  return runs.map(({ run_id, status }) => [run_id.replace(/^[^-]+-[^-]{14}-?/, ''), status]);
}

// Milliseconds: functions and commands start from cold, each in a process of its own.
export const describeRuns = () =>
  describe('a deployed environment', () => {
    test('an agent that ships delegates to its sub-agents and answers, and the log tells of it without a text', async () => {
      const before = rehearsal.lambda.log.length;
      const context = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8');
      const { status, body } = await post('/agents/digest/runs?wait=25', {
        prompt: 'What matters?',
        context,
      });
      expect([status, body]).toMatchObject([
        200,
        { status: 'succeeded', content: expect.stringContaining('agents') },
      ]);
      expect(await tree(body['run_id'])).toEqual([
        ['', 'succeeded'],
        ['t1c1', 'succeeded'],
        ['t1c2', 'succeeded'],
        ['t1c3', 'succeeded'],
      ]);
      const lines = rehearsal.lambda.log.slice(before);
      const log = lines.map((line) => JSON.parse(line));
      const closed = log.filter(({ event }) => event === 'run_closed');
      expect(new Set(closed.map(({ agent }) => agent))).toEqual(
        new Set(['digest', 'facts', 'risks', 'actions']),
      );
      expect(new Set(closed.map(({ root }) => root))).toEqual(new Set([body['run_id']]));
      expect(lines.join('\n')).not.toMatch(/What matters|Agents that delegate/);
    });

    test('a run is followed by asking again and again, each answer as soon as it holds an event', async () => {
      const { body } = await post('/agents/asker/runs', { prompt: 'go' });
      const path = `/runs/${String(body['run_id'])}/events`;
      const events: SentEvent[] = [];
      while (events.at(-1)?.event.type !== 'RUN_FINISHED') {
        const after = events.at(-1)?.id;
        const headers = after === undefined ? {} : { 'last-event-id': after };
        const answer = await rehearsal.askApi('GET', path, { caller, headers });
        expect([answer.status, answer.body['text']]).toEqual([
          200,
          expect.stringMatching(/^retry: 100\n\nid: /),
        ]);
        events.push(...sentEvents(String(answer.body['text'])));
      }
      const types = events.map(({ event }) => event.type);
      expect(types.filter((type) => type.startsWith('SUBAGENT_')).sort()).toEqual([
        'SUBAGENT_ERROR',
        'SUBAGENT_ERROR',
        'SUBAGENT_FINISHED',
        'SUBAGENT_STARTED',
        'SUBAGENT_STARTED',
        'SUBAGENT_STARTED',
      ]);
      const whole = await rehearsal.askApi('GET', path, { caller });
      const told = ({ event }: SentEvent) => JSON.stringify(event);
      expect(sentEvents(String(whole.body['text'])).map(told).sort()).toEqual(events.map(told).sort());
    });

    test('sub-agents that fail are told to their parent in words, and the run goes on', async () => {
      const { body } = await post('/agents/asker/runs?wait=25', { prompt: 'go' });
      expect(body).toMatchObject({ status: 'succeeded', content: 'One of three answered.' });
      expect(await tree(body['run_id'])).toEqual([
        ['', 'succeeded'],
        ['t1c1', 'succeeded'],
        ['t1c2', 'failed'],
        ['t1c3', 'failed'],
      ]);
      expect(askerAsked.at(-1)?.results).toEqual([
        { status: 'success', text: 'the kid answers' },
        { status: 'error', text: expect.stringContaining('sub-agent "keyless" failed') },
        { status: 'error', text: expect.stringContaining('failed to load agent "nobody"') },
      ]);
    });

    test('an agent whose provider has no key fails, and its record says why', async () => {
      const { body } = await post('/agents/keyless/runs?wait=25', { prompt: 'go' });
      expect(body).toMatchObject({
        status: 'failed',
        content: '',
        error:
          'API key for provider "anthropic" is not configured (add "anthropic" to the secret KeysSecret of this environment)',
      });
    });

    test('a run whose model does not answer in time is timed out', async () => {
      const { body } = await post('/agents/silent/runs?wait=25', { prompt: 'go', timeout: 1 });
      expect(body).toMatchObject({
        status: 'timed_out',
        error: 'timeout: no answer within the 1s that the run was given',
      });
    });

    test('a turn function that dies with its answer kept does not pay the model again', async () => {
      const turns = () => rehearsal.lambda.invoked.filter((name) => name === 'cadre-dev-turn').length;
      const before = { asked: rehearsal.asked(), turns: turns() };
      rehearsal.lambda.loseNextAnswerOf('cadre-dev-turn');
      const { body } = await post('/agents/mortal/runs?wait=25', { prompt: 'go' });
      expect(body).toMatchObject({ status: 'succeeded', content: 'last words' });
      await ended(body['run_id']);
      expect({ asked: rehearsal.asked() - before.asked, turns: turns() - before.turns }).toEqual({
        asked: 1,
        turns: 2,
      });
    });

    test('stopping the top of a tree stops all of it, and events close every record', async () => {
      silentAsked = latch();
      const { status, body } = await post('/agents/waiter/runs', { prompt: 'go' });
      expect(status).toBe(202);
      await silentAsked.opened;
      const run = String(body['run_id']);
      expect(await post(`/runs/${run}/stop`)).toMatchObject({ status: 202 });
      expect(await get(`/runs/${run}/result?wait=25`)).toMatchObject({
        status: 200,
        body: { status: 'stopped', error: 'stopped through the API' },
      });
      await rehearsal.events.delivered();
      expect(await tree(run)).toEqual([
        ['', 'stopped'],
        ['t1c1', 'stopped'],
      ]);
      expect(rehearsal.events.deadLetters).toEqual([]);
    });

    test('an event that nothing can be done with is tried three times and kept', async () => {
      const before = rehearsal.lambda.invoked.length;
      const event = {
        source: 'aws.states',
        'detail-type': 'Step Functions Execution Status Change',
        detail: {
          stateMachineArn: `arn:aws:states:${REGION}:${ACCOUNT}:stateMachine:cadre-dev`,
          status: 'FAILED',
        },
      };
      rehearsal.events.put(event);
      rehearsal.events.put({ ...event, detail: { ...event.detail, status: 'SUCCEEDED' } });
      await rehearsal.events.delivered();
      expect(rehearsal.lambda.invoked.slice(before)).toEqual(Array(3).fill('cadre-dev-settle'));
      expect(rehearsal.events.deadLetters).toEqual([event]);
    });

    test('an execution that a person starts in the console is a run like any other', async () => {
      const client = new SFNClient({
        endpoint: rehearsal.environment['AWS_ENDPOINT_URL_SFN'] ?? '',
        region: REGION,
        credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      });
      const { executionArn = '' } = await client.send(
        new StartExecutionCommand({
          stateMachineArn: `arn:aws:states:${REGION}:${ACCOUNT}:stateMachine:cadre-dev`,
          input: JSON.stringify({ agent: 'kid', prompt: 'go' }),
        }),
      );
      client.destroy();
      const { output, name } = await rehearsal.machines.ended(executionArn);
      const run = runOfExecution(name);
      expect(output).toEqual({ run, status: 'succeeded', turns: 1 });
      expect(await get(`/runs/${run}/result`)).toMatchObject({ body: { content: 'the kid answers' } });
    });

    test('a tick of a schedule that comes twice makes one run', async () => {
      const time = '2026-11-23T06:00:00Z';
      const ends = [];
      for (let times = 0; times < 2; times++) {
        ends.push(await rehearsal.machines.ended(rehearsal.tick('cadre-dev-daily', time)));
      }
      expect(ends.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
      const id = tickRunId('daily', Date.parse(time));
      await ended(id);
      expect(await get(`/runs/${id}/result`)).toMatchObject({ status: 200, body: { status: 'succeeded' } });
    });

    test('a request that is not signed reaches no function', async () => {
      const before = rehearsal.lambda.invoked.length;
      expect(await rehearsal.askApi('GET', '/runs')).toEqual({ status: 403, body: { message: 'Forbidden' } });
      expect(rehearsal.lambda.invoked.length).toBe(before);
    });

    test('a result that is larger than an answer of Lambda is fetched from its signed address', async () => {
      const { body } = await post('/agents/wordy/runs?wait=25', { prompt: 'go' });
      expect(body).toMatchObject({
        status: 'succeeded',
        content: null,
        content_link: { bytes: Buffer.byteLength(WORDS) },
      });
      const { content_link: link } = v.parse(v.object({ content_link: v.object({ url: v.string() }) }), body);
      expect(await (await fetch(link.url)).text()).toBe(WORDS);
    });

    test('those who follow runs can be as many as there are functions for them, and keep nobody from starting one', async () => {
      await rehearsal.redeploy({ settings: { ...SETTINGS, apiConcurrency: 1, watchConcurrency: 2 } });
      silentAsked = latch();
      const { body } = await post('/agents/silent/runs', { prompt: 'go' });
      await silentAsked.opened;
      const path = `/runs/${String(body['run_id'])}/events`;
      const first = await get(path);
      const id = sentEvents(String(first.body['text'])).at(-1)?.id ?? '';
      const follow = () => rehearsal.askApi('GET', path, { caller, headers: { 'last-event-id': id } });
      const following = [follow(), follow()];
      expect(await follow()).toEqual({ status: 503, body: { message: 'Service Unavailable' } });
      expect(await post('/agents/kid/runs?wait=25', { prompt: 'go' })).toMatchObject({
        status: 200,
        body: { content: 'the kid answers' },
      });
      expect(await post(`/runs/${String(body['run_id'])}/stop`)).toMatchObject({ status: 202 });
      const told = await Promise.all(following);
      expect(told.map(({ status }) => status)).toEqual([200, 200]);
    });
  });
