import { DescribeExecutionCommand, RedriveExecutionCommand, SFNClient } from '@aws-sdk/client-sfn';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startCommand } from '../fixtures/command.ts';
import { latch, type Latch } from '../fixtures/stage.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';
import { SILENCE, type Role } from './converse.ts';
import { rehearsal } from './deployed.ts';
import { ACCOUNT, REGION } from './stack.ts';

const agent = (name: string, more = '') =>
  `name = "${name}"\nmodel = "bedrock/anthropic.claude-${name}"\n${more}`;
export const AGENTS = {
  lead: agent('lead', 'sub_agents = ["first", "second", "third"]\n'),
  first: agent('first'),
  second: agent('second', 'sub_agents = ["third"]\n'),
  third: agent('third'),
};

let client: SFNClient;
/** The lines of `second` for each first turn. */
let second: ('silence' | 'held' | 'answer')[] = [];
let secondAsked: Latch;
/** Lets the answer come that was held. */
let release: Latch;
/** The agents whose models were asked, in order. */
let asked: string[] = [];

const heard = (results: { text: string }[]) => results.map(({ text }) => text).join(', ');
export const ROLES: Record<string, Role> = {
  lead({ turn, results }) {
    asked.push(`lead ${turn}`);
    return turn === 1 ? ['first', 'second', 'third'].map((call) => ({ call, task: 'go' })) : heard(results);
  },
  first() {
    asked.push('first');
    return 'one';
  },
  async second({ turn, results }) {
    asked.push(`second ${turn}`);
    if (turn > 1) return `two with ${heard(results)}`;
    const says = second.shift() ?? 'answer';
    if (says !== 'answer') secondAsked.open();
    if (says === 'silence') return SILENCE;
    if (says === 'held') await release.opened;
    return [{ call: 'third', task: 'help' }];
  },
  third() {
    asked.push('third');
    return 'three';
  },
};

const ANSWER = 'one, two with three, three';
/** All that models are asked in a tree that nothing disturbs. */
const UNDISTURBED = ['first', 'lead 1', 'lead 2', 'second 1', 'second 2', 'third', 'third'];

const post = (path: string, json: unknown = {}) => rehearsal.askApi('POST', path, { caller: 'ada', json });
const get = (path: string) => rehearsal.askApi('GET', path, { caller: 'ada' });
const answerTo = (run: string) => get(`/runs/${run}/result?wait=25`);
const arn = (execution: string) => `arn:aws:states:${REGION}:${ACCOUNT}:execution:cadre-dev:${execution}`;

const Tree = v.object({ runs: v.array(v.object({ agent: v.string(), status: v.string() })) });
async function tree(run: string): Promise<string[]> {
  const { runs } = v.parse(Tree, (await get(`/runs/${run}/tree`)).body);
  return runs.map((each) => `${each.agent} ${each.status}`);
}

/** The names of the tree's executions, less what all of them have in common. */
function executionsOf(run: string): string[] {
  const key = run.slice('lead-'.length);
  const stateMachineArn = `arn:aws:states:${REGION}:${ACCOUNT}:stateMachine:cadre-dev`;
  const names = rehearsal.machines.listExecutions({ stateMachineArn }).map(({ name }) => name);
  return names
    .filter((name) => name.includes(key))
    .map((name) => name.replace(`-${key}`, ''))
    .sort();
}

/** Starts a tree, and waits until its second sub-agent is at work and the others have answered. */
async function startedUntilSecond(...says: typeof second): Promise<string> {
  second = says;
  const run = String((await post('/agents/lead/runs', { prompt: 'go' })).body['run_id']);
  await secondAsked.opened;
  await expect
    .poll(() => tree(run))
    .toEqual(['lead running', 'first succeeded', 'second running', 'third succeeded']);
  return run;
}

/** The same tree, stopped and closed. */
async function stoppedAtSecond(): Promise<string> {
  const run = await startedUntilSecond('silence');
  await post(`/runs/${run}/stop`);
  expect(await answerTo(run)).toMatchObject({ body: { status: 'stopped' } });
  await rehearsal.events.delivered();
  expect(await tree(run)).toEqual(['lead stopped', 'first succeeded', 'second stopped', 'third succeeded']);
  return run;
}

// Milliseconds: functions start from cold, each in a process of its own.
export const describeResume = () =>
  describe('a run of an environment', () => {
    beforeAll(() => {
      client = new SFNClient({
        endpoint: rehearsal.environment['AWS_ENDPOINT_URL_SFN'] ?? '',
        region: REGION,
        credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      });
    });
    afterAll(() => client.destroy());
    beforeEach(() => {
      asked = [];
      secondAsked = latch();
      release = latch();
    });

    test('that was stopped among its sub-agents goes on with those that had not ended', async () => {
      const run = await stoppedAtSecond();
      expect(await post(`/runs/${run}/resume`)).toMatchObject({ status: 202, body: { status: 'running' } });
      expect(await answerTo(run)).toMatchObject({ body: { status: 'succeeded', content: ANSWER } });
      expect(asked.sort()).toEqual([...UNDISTURBED, 'second 1'].sort());
      expect(executionsOf(run)).toEqual([
        'first-t1c1',
        'lead',
        'lead-r2',
        'second-t1c2',
        'second-t1c2-r2',
        'third-t1c2_t1c1-r2',
        'third-t1c3',
      ]);
      expect(rehearsal.events.deadLetters).toEqual([]);
    });

    test('that two resume at once is one run with one answer', async () => {
      const run = await stoppedAtSecond();
      const both = await Promise.all([post(`/runs/${run}/resume`), post(`/runs/${run}/resume`)]);
      expect(both.map(({ status }) => status)).toContain(202);
      expect(await answerTo(run)).toMatchObject({ body: { content: ANSWER } });
      expect(asked.sort()).toEqual([...UNDISTURBED, 'second 1'].sort());
      expect(executionsOf(run).filter((name) => name.startsWith('lead'))).toEqual(['lead', 'lead-r2']);
    });

    test('is taken over by a newer execution while the older one lives, which touches nothing any more', async () => {
      const run = await startedUntilSecond('held', 'answer');
      const input = { agent: 'lead', run, holder: 2, depth: 0 };
      const stateMachineArn = `arn:aws:states:${REGION}:${ACCOUNT}:stateMachine:cadre-dev`;
      const { executionArn } = rehearsal.machines.startExecution({
        stateMachineArn,
        name: `${run}-r2`,
        input,
      });
      expect((await rehearsal.machines.ended(executionArn)).output).toMatchObject({ status: 'succeeded' });
      const closed = (await get(`/runs/${run}/tree`)).body;
      const before = [...asked];
      release.open();
      expect((await rehearsal.machines.ended(arn(run))).output).toEqual({ run, status: 'superseded' });
      expect(before.sort()).toEqual([...UNDISTURBED, 'second 1'].sort());
      expect(asked).toHaveLength(before.length);
      await rehearsal.events.delivered();
      expect((await get(`/runs/${run}/tree`)).body).toEqual(closed);
    });

    test('whose stopped execution is redriven goes on in that execution', async () => {
      const run = await stoppedAtSecond();
      const executionArn = arn(run);
      await client.send(new RedriveExecutionCommand({ executionArn }));
      expect(await rehearsal.machines.ended(executionArn)).toMatchObject({
        status: 'SUCCEEDED',
        redriveCount: 1,
      });
      await rehearsal.events.delivered();
      expect(await answerTo(run)).toMatchObject({ body: { status: 'succeeded', content: ANSWER } });
      expect(asked.sort()).toEqual([...UNDISTURBED, 'second 1'].sort());
      expect(executionsOf(run)).toEqual([
        'first-t1c1',
        'lead',
        'second-t1c2',
        'second-t1c2-d1',
        'third-t1c2_t1c1-r2',
        'third-t1c3',
      ]);
    });

    test('can be stopped after it was resumed and after it was redriven, and resumed again', async () => {
      const run = await stoppedAtSecond();
      second = ['silence'];
      secondAsked = latch();
      await client.send(new RedriveExecutionCommand({ executionArn: arn(run) }));
      await secondAsked.opened;
      // Its record is closed until it comes to its next turn.
      const stop = startCommand(['stop', run, '--env', 'dev'], await tempFolder(), rehearsal.environment);
      expect(await stop.ended()).toEqual({ code: 0, out: '', err: `run "${run}" has ended: stopped\n` });
      await rehearsal.events.delivered();
      second = ['silence'];
      secondAsked = latch();
      await post(`/runs/${run}/resume`);
      await secondAsked.opened;
      expect(await post(`/runs/${run}/stop`)).toMatchObject({ status: 202 });
      expect(await answerTo(run)).toMatchObject({ body: { status: 'stopped' } });
      await rehearsal.events.delivered();
      expect(await tree(run)).toEqual([
        'lead stopped',
        'first succeeded',
        'second stopped',
        'third succeeded',
      ]);
      await post(`/runs/${run}/resume`);
      expect(await answerTo(run)).toMatchObject({ body: { content: ANSWER } });
      expect(asked.filter((one) => one !== 'second 1').sort()).toEqual(
        UNDISTURBED.filter((one) => one !== 'second 1'),
      );
    });

    test('goes on under the definition that was deployed since', async () => {
      const run = await stoppedAtSecond();
      const stateMachineArn = `arn:aws:states:${REGION}:${ACCOUNT}:stateMachine:cadre-dev`;
      const { definition } = rehearsal.machines.describeStateMachine(stateMachineArn);
      const other = definition
        .replace('"StartAt":"Open"', '"StartAt":"Prelude"')
        .replace('"States":{', '"States":{"Prelude":{"Type":"Pass","Next":"Open"},')
        .replaceAll('"Run sub-agents"', '"Carry out"');
      rehearsal.machines.updateStateMachine({ stateMachineArn, definition: other });
      try {
        await post(`/runs/${run}/resume`);
        expect(await answerTo(run)).toMatchObject({ body: { content: ANSWER } });
      } finally {
        rehearsal.machines.updateStateMachine({ stateMachineArn, definition });
      }
      expect(asked.sort()).toEqual([...UNDISTURBED, 'second 1'].sort());
      const entered = rehearsal.machines
        .getExecutionHistory({ executionArn: arn(`${run}-r2`) })
        .flatMap(({ type, stateEnteredEventDetails: details }) =>
          type.endsWith('StateEntered') ? v.parse(v.object({ name: v.string() }), details).name : [],
        );
      expect(entered.slice(0, 5)).toEqual(['Prelude', 'Open', 'Take turn', 'What next?', 'Carry out']);
      // The first one keeps what it was started with.
      const { status } = await client.send(new DescribeExecutionCommand({ executionArn: arn(run) }));
      expect(status).toBe('ABORTED');
    });
  });
