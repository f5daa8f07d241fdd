import { RedriveExecutionCommand, SFNClient } from '@aws-sdk/client-sfn';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { startCommand } from '../fixtures/command.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';
import type { Role } from './converse.ts';
import { rehearsal } from './deployed.ts';
import { ACCOUNT, REGION } from './stack.ts';

const agent = (name: string, more = '') =>
  `name = "${name}"\nmodel = "bedrock/anthropic.claude-${name}"\n${more}`;
export const AGENTS = {
  chief: agent('chief', 'patience = "1d"\nsub_agents = ["deputy"]\n'),
  deputy: agent('deputy', 'sub_agents = ["clerk"]\n'),
  clerk: agent('clerk', 'tools = ["ask_user"]\n'),
  careful: agent(
    'careful',
    'patience = "1d"\ntools = ["fork"]\nmode = "ask"\npermissions = { ask = ["fork"] }\n',
  ),
};

/** How often the one who asks was asked for a turn. */
let turns = 0;
const passesOn =
  (call: string): Role =>
  ({ turn, results }) =>
    turn === 1 ? [{ call, task: 'ask' }] : results.map(({ text }) => text).join();
export const ROLES: Record<string, Role> = {
  chief: passesOn('deputy'),
  deputy: passesOn('clerk'),
  careful({ fork, turn, results }) {
    if (fork !== '') return 'done';
    if (turn === 1) return [{ tool: 'fork', input: { prompt: 'one', name: 'a' } }];
    if (turn === 2) return [{ tool: 'wait', input: { timeout: 600, from_agents: ['b'] } }];
    return turn === 3 ? [{ tool: 'kill', input: { uuid: 'b' } }] : results.map(({ text }) => text).join();
  },
  clerk({ turn, results }) {
    turns += 1;
    if (turn > 1) return `told ${results[0]?.text}`;
    return [{ tool: 'ask_user', input: { question: 'Which one?', choices: ['red', 'blue'] } }];
  },
};

const caller = 'ada';
const post = (path: string, json: unknown = {}) => rehearsal.askApi('POST', path, { caller, json });
const get = (path: string) => rehearsal.askApi('GET', path, { caller });

const Listed = v.object({
  questions: v.array(v.object({ run_id: v.string(), root: v.string(), question_id: v.string() })),
});

/** Starts a tree, and waits until its lowest agent asks. */
async function asking() {
  const run = String((await post('/agents/chief/runs', { prompt: 'go' })).body['run_id']);
  return { run, asker: await asked(run) };
}

/** The run of this tree that asks. */
async function asked(root: string): Promise<string> {
  for (;;) {
    const { questions } = v.parse(Listed, (await get('/questions')).body);
    const question = questions.find((each) => each.root === root);
    if (question !== undefined) return question.run_id;
  }
}

const answerTo = (run: string) => get(`/runs/${run}/result?wait=25`);

// Milliseconds: functions and commands start from cold, each in a process of its own.
export const describeQuestions = () =>
  describe('a question of an environment', () => {
    test('is answered across three levels by a signed request, while no function runs', async () => {
      const before = rehearsal.events.told.length;
      const { run, asker } = await asking();
      // It is listed before it is told.
      await expect
        .poll(() => rehearsal.events.told.slice(before))
        .toEqual([
          {
            Source: 'cadre',
            DetailType: 'Question asked',
            Detail: {
              environment: 'dev',
              run_id: asker,
              root: run,
              agent: 'clerk',
              question_id: 't1c1',
              question: 'Which one?',
              choices: ['red', 'blue'],
              asked_at: expect.any(String),
              expires_at: expect.any(String),
            },
          },
        ]);
      const path = `/runs/${asker}/questions/t1c1/answer`;
      const body = { choice: 'blue' };
      expect(await rehearsal.askApi('POST', path, { json: body })).toMatchObject({ status: 403 });
      expect(await post(`/runs/${asker}/questions/t1c1/%61nswer`, body)).toMatchObject({ status: 403 });
      expect(await post(path, body)).toMatchObject({ status: 200, body: { answer: 'blue' } });
      // A request that is repeated; and another answer.
      expect(await post(path, body)).toMatchObject({ status: 200 });
      expect(await post(path, { choice: 'red' })).toMatchObject({ status: 409 });
      expect(await answerTo(run)).toMatchObject({ body: { status: 'succeeded', content: 'told blue' } });
      const { body: told } = await get(`/runs/${run}/events`);
      expect(told['text']).toContain(`"by":"arn:aws:iam::${ACCOUNT}:user/ada"`);
      expect(v.parse(Listed, (await get('/questions')).body).questions).toEqual([]);
      expect(rehearsal.events.deadLetters).toEqual([]);
    });

    test('is answered by the command', async () => {
      const cwd = await tempFolder();
      const cadre = (...args: string[]) =>
        startCommand([...args, '--env', 'dev'], cwd, rehearsal.environment).ended();
      const { run, asker } = await asking();
      const listed = await cadre('questions');
      expect(listed.out).toContain(`clerk asks (until `);
      expect(listed.out).toContain(`  cadre answer ${asker} t1c1 --env dev "…"\n`);
      expect(await cadre('answer', run, '1')).toEqual({ code: 0, out: '', err: '' });
      expect(await answerTo(run)).toMatchObject({ body: { content: 'told red' } });
      expect(await cadre('answer', asker, 't1c1', 'late')).toMatchObject({ code: 2 });
    });

    test('is the same question for an execution that is redriven, and for one that resumes it', async () => {
      const { run, asker } = await asking();
      await post(`/runs/${run}/stop`);
      expect(await answerTo(run)).toMatchObject({ body: { status: 'stopped' } });
      await rehearsal.events.delivered();
      expect(v.parse(Listed, (await get('/questions')).body).questions).toEqual([]);
      await redrive(run);
      expect(await asked(run)).toBe(asker);
      await post(`/runs/${run}/stop`);
      await answerTo(run);
      await rehearsal.events.delivered();
      expect(await post(`/runs/${run}/resume`)).toMatchObject({ status: 202 });
      expect(await asked(run)).toBe(asker);
      const before = turns;
      await post(`/runs/${asker}/questions/t1c1/answer`, { text: 'green' });
      expect(await answerTo(run)).toMatchObject({ body: { content: 'told green' } });
      // The turn that asked was paid once.
      expect(turns - before).toBe(1);
    });

    test('whether a call may be made is answered by a signed request, and asked once by runs that are redriven', async () => {
      const run = String((await post('/agents/careful/runs', { prompt: 'go' })).body['run_id']);
      expect(await asked(run)).toBe(run);
      const answerOf = (question: string, json: object) =>
        post(`/runs/${run}/questions/${question}/answer`, json);
      expect(await answerOf('t1c1', { text: 'maybe' })).toMatchObject({ status: 400 });
      await post(`/runs/${run}/stop`);
      expect(await answerTo(run)).toMatchObject({ body: { status: 'stopped' } });
      await rehearsal.events.delivered();
      await redrive(run);
      expect(await asked(run)).toBe(run);
      const changed = { choice: 'approve', arguments: { prompt: 'two', name: 'b' } };
      expect(await answerOf('t1c1', changed)).toMatchObject({ status: 200 });
      expect(await answerOf('t1c1', { choice: 'deny' })).toMatchObject({ status: 409 });
      expect(await asked(run)).toBe(run);
      expect(await answerOf('t3c1', { text: 'deny: leave it alone' })).toMatchObject({ status: 200 });
      expect(await answerTo(run)).toMatchObject({
        body: {
          status: 'succeeded',
          content: 'Permission denied: "kill" was denied by the user: leave it alone',
        },
      });
      const { body } = await get(`/runs/${run}/tree`);
      expect(body).toMatchObject({ runs: [{ status: 'succeeded' }, { name: 'b', status: 'idle' }] });
    });
  });

async function redrive(run: string): Promise<void> {
  const client = new SFNClient({
    endpoint: rehearsal.environment['AWS_ENDPOINT_URL_SFN'] ?? '',
    region: REGION,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const executionArn = `arn:aws:states:${REGION}:${ACCOUNT}:execution:cadre-dev:${run}`;
  await client.send(new RedriveExecutionCommand({ executionArn }));
  client.destroy();
}
