import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { openCadre } from '../../src/doors/library/open-cadre.ts';
import { startCommand } from '../fixtures/command.ts';
import { latch } from '../fixtures/stage.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';
import { SILENCE, type Asked, type Role } from './converse.ts';
import { rehearsal } from './deployed.ts';
import { stubEnvironment } from './programs.ts';
import { ACCOUNT, REGION } from './stack.ts';

const DAY_SECONDS = 86_400;

const agent = (name: string) =>
  `name = "${name}"\nmodel = "bedrock/anthropic.claude-${name}"\ntools = ["fork"]\ntimeout = ${3 * DAY_SECONDS}\n`;
export const AGENTS = { keeper: agent('keeper'), listener: agent('listener'), reaper: agent('reaper') };

const json = (text = 'null') => JSON.parse(text);
const tool = (name: string, input: object) => [{ tool: name, input }];
const isIdle = latch();
const areAsked = { b: latch(), c: latch() };

/** It forks, waits a day for mail that never comes, writes to the fork itself, and hears the fork's memory. */
const keeper: Role = ({ fork, turn, told, results }) => {
  if (fork !== '') return remembering(told, results);
  if (told !== 'go' && results.length === 0) return `told: ${told}`;
  if (turn === 1) return tool('fork', { prompt: 'learn', name: 'pupil' });
  if (turn === 2) return tool('wait', { timeout: 60 });
  if (turn === 3) {
    isIdle.open();
    return tool('wait', { timeout: DAY_SECONDS });
  }
  if (turn === 4) return tool('mail_send', { to: 'pupil', body: `after ${results[0]?.text}` });
  if (turn === 5) return tool('wait', { timeout: 60 });
  return json(json(results[0]?.text).body).summary;
};

/** A fork that reads its mail and answers it; a person is answered at once. */
function remembering(told: string, results: Asked['results']): ReturnType<Role> {
  if (told.startsWith('[Notification')) return tool('mail_check', {});
  const [result] = results;
  if (result === undefined) return told.startsWith('[You are agent') ? 'learned' : `told: ${told}`;
  const { messages, body } = json(result.text);
  return messages === undefined ? `read: ${body}` : tool('mail_read', { id: messages[0].id });
}

/** It kills a fork whose own fork is in the middle of a turn, as that fork is itself. */
const reaper: Role = async ({ fork, turn, results }) => {
  if (fork === 'c') areAsked.c.open();
  if (fork === 'b' && results.length === 0) return tool('fork', { prompt: 'q', name: 'c' });
  if (fork === 'b') areAsked.b.open();
  if (fork !== '') return SILENCE;
  if (turn === 1) return tool('fork', { prompt: 'p', name: 'b' });
  if (turn > 2) return results.map(({ text }) => text).join();
  await Promise.all([areAsked.b.opened, areAsked.c.opened]);
  return tool('kill', { uuid: 'b' });
};
const listener: Role = ({ told }) => `heard ${told}`;
export const ROLES: Record<string, Role> = { keeper, listener, reaper };

const caller = 'ada';
const post = (path: string, body: object = {}) => rehearsal.askApi('POST', path, { caller, json: body });
const get = (path: string) => rehearsal.askApi('GET', path, { caller });

const Tree = v.object({
  runs: v.array(v.object({ run_id: v.string(), name: v.optional(v.string(), 'top'), status: v.string() })),
});
const treeOf = async (run: string) => v.parse(Tree, (await get(`/runs/${run}/tree`)).body).runs;
const shown = async (run: string) => (await treeOf(run)).map(({ name, status }) => `${name} ${status}`);

const MACHINE = `arn:aws:states:${REGION}:${ACCOUNT}:stateMachine:cadre-dev`;
/** The names of the executions of a tree, by how they are. */
const executionsOf = (run: string) =>
  rehearsal.machines
    .listExecutions({ stateMachineArn: MACHINE })
    .filter(({ name }) => name.includes(run.split('-')[1] ?? ''))
    .map(({ name, status }) => `${name} ${status}`)
    .sort();

// Milliseconds: functions start from cold, each in a process of its own.
export const describeResidents = () =>
  describe('agents that know each other', () => {
    // First: a command has the time of this machine, and the test below moves the functions' on.
    test('are talked to by the command', async () => {
      const cwd = await tempFolder();
      const cadre = (args: string[], stdin?: string) =>
        startCommand([...args, '--env', 'dev'], cwd, rehearsal.environment, undefined, stdin).ended();
      const lines = ['hello', '/fork', 'and you?', '/agents', '/kill', '/mail-check'].join('\n');
      const chat = await cadre(['chat', 'listener'], lines);
      expect({ code: chat.code, out: chat.out }).toEqual({ code: 0, out: 'heard hello\nheard and you?\n' });
      const [, id = ''] = /go on with: cadre chat listener (\S+) --env dev\n$/.exec(chat.err) ?? [];
      expect(chat.err).toContain(`killed ${id}-t1c101\n`);
      expect(await shown(id)).toEqual(['top succeeded', 'listener-fork stopped']);
      expect(await cadre(['chat', 'listener', id], 'and now?')).toMatchObject({
        code: 0,
        out: 'heard and now?\n',
      });
      expect(await cadre(['send', id, 'once more'])).toMatchObject({ code: 0, out: 'heard once more' });
    });

    test('wait for days without a function, and forks go on for agents and for people', async () => {
      const run = String((await post('/agents/keeper/runs', { prompt: 'go' })).body['run_id']);
      await isIdle.opened;
      // The root waits in one state; the fork, which has answered, has no execution.
      await expect.poll(() => waitingOf(run)).toEqual([`${run} Ask`]);
      const [, pupil = { run_id: '' }] = await treeOf(run);
      expect(await shown(run)).toEqual(['top running', 'pupil idle']);
      expect(executionsOf(run)).toEqual([`${run} RUNNING`, `${pupil.run_id} SUCCEEDED`]);
      const before = rehearsal.lambda.invoked.filter((name) => !name.endsWith('-api')).length;
      rehearsal.clock.skip(1000 * DAY_SECONDS);
      expect(rehearsal.lambda.invoked.filter((name) => !name.endsWith('-api'))).toHaveLength(before);
      expect(await get(`/runs/${run}/result?wait=25`)).toMatchObject({
        body: { status: 'succeeded', content: 'read: after {"status":"timeout"}' },
      });
      await expect
        .poll(() => executionsOf(run))
        .toEqual([run, pupil.run_id, `${pupil.run_id}-r2`].map((name) => `${name} SUCCEEDED`));
      expect(await shown(run)).toEqual(['top succeeded', 'pupil idle']);

      // The tree has ended; a person brings the fork back.
      const path = `/runs/${pupil.run_id}/messages`;
      expect(await rehearsal.askApi('POST', path, { json: { text: 'and now?' } })).toMatchObject({
        status: 403,
      });
      expect(await post(path, { text: 'and now?' })).toMatchObject({ status: 202 });
      // The answer that it had is none to this.
      expect(await get(`/runs/${pupil.run_id}/result`)).toMatchObject({ status: 202 });
      await expect
        .poll(async () => (await get(`/runs/${pupil.run_id}/result`)).body['content'])
        .toBe('told: and now?');
      // The agent that forked it takes no turn for that.
      await expect
        .poll(() => executionsOf(run))
        .toEqual(
          [run, pupil.run_id, `${pupil.run_id}-r2`, `${pupil.run_id}-r3`].map((name) => `${name} SUCCEEDED`),
        );
      // Until a program ends it for good.
      stubEnvironment();
      const cadre = await openCadre({ environment: 'dev' });
      await cadre.kill(pupil.run_id);
      expect(await shown(run)).toEqual(['top succeeded', 'pupil stopped']);
      await expect(cadre.send(pupil.run_id, 'hello?').then(({ result }) => result())).rejects.toThrow(
        `run "${pupil.run_id}" was killed; nothing reaches it any more`,
      );
      await cadre.close();
      await rehearsal.events.delivered();
      expect(rehearsal.events.deadLetters).toEqual([]);
    });

    test('are killed in the middle of their turns with all that is below them', async () => {
      const run = String((await post('/agents/reaper/runs', { prompt: 'go' })).body['run_id']);
      const { body } = await get(`/runs/${run}/result?wait=25`);
      const [, b, c] = await treeOf(run);
      expect(body).toMatchObject({
        status: 'succeeded',
        content: JSON.stringify({ killed: [b?.run_id, c?.run_id] }),
      });
      expect(await shown(run)).toEqual(['top succeeded', 'b stopped', 'c stopped']);
      await rehearsal.events.delivered();
      expect(executionsOf(run)).toEqual([`${run} SUCCEEDED`, `${b?.run_id} ABORTED`, `${c?.run_id} ABORTED`]);
      expect(await post(`/runs/${b?.run_id}/messages`, { text: 'hello?' })).toMatchObject({ status: 409 });
      expect(rehearsal.events.deadLetters).toEqual([]);
    });
  });

/** Which executions of a tree are open, and the state that each is in. */
function waitingOf(run: string): string[] {
  return rehearsal.machines
    .listExecutions({ stateMachineArn: MACHINE, statusFilter: 'RUNNING' })
    .filter(({ name }) => name.includes(run.split('-')[1] ?? ''))
    .map(({ name, executionArn }) => {
      const entered = rehearsal.machines
        .getExecutionHistory({ executionArn, reverseOrder: true })
        .find(({ type }) => type.endsWith('StateEntered'));
      const { name: state } = v.parse(v.object({ name: v.string() }), entered?.['stateEnteredEventDetails']);
      return `${name} ${state}`;
    });
}
