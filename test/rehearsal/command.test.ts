import * as v from 'valibot';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { latch } from '../fixtures/stage.ts';
import { startCommand } from '../fixtures/command.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';
import { SILENCE } from './converse.ts';
import { startRehearsal, type Rehearsal } from './rehearsal.ts';
import { ACCOUNT, REGION } from './stack.ts';

/** The command in an environment and in a folder with the same agents, whose models are the same. */
const AGENTS = {
  lead: 'name = "lead"\nmodel = "bedrock/anthropic.claude-lead"\nsub_agents = ["kid"]\n',
  kid: 'name = "kid"\nmodel = "bedrock/anthropic.claude-kid"\n',
  keyless: 'name = "keyless"\nmodel = "anthropic/claude-sonnet-4-5"\n',
  waiter: 'name = "waiter"\nmodel = "bedrock/anthropic.claude-waiter"\nsub_agents = ["silent"]\n',
  silent: 'name = "silent"\nmodel = "bedrock/anthropic.claude-silent"\n',
};
let silentAsked = latch();

let rehearsal: Rehearsal;
beforeAll(async () => {
  rehearsal = await startRehearsal({
    agents: AGENTS,
    roles: {
      lead: ({ turn }) => (turn === 1 ? [{ call: 'kid', task: 'what do you know?' }] : 'The kid knows.'),
      kid: () => 'I know.',
      waiter: () => [{ call: 'silent', task: 'say nothing' }],
      silent() {
        silentAsked.open();
        return SILENCE;
      },
    },
  });
});
afterAll(() => rehearsal.close());

/** The answer of a command here, in a folder with the same agents, and in the environment. */
async function both(args: string[]) {
  const cwd = await project();
  const [here, there] = await Promise.all([cadre(args, cwd).ended(), cadre([...args, ...dev], cwd).ended()]);
  return { cwd, here, there };
}
const project = () =>
  tempFolder(Object.fromEntries(Object.entries(AGENTS).map(([name, text]) => [`agents/${name}.toml`, text])));
const cadre = (args: string[], cwd: string) => startCommand(args, cwd, rehearsal.environment);
const dev = ['--env', 'dev'];

const link = (run: string) =>
  `https://${REGION}.console.aws.amazon.com/states/home?region=${REGION}#/v2/executions/details/arn:aws:states:${REGION}:${ACCOUNT}:execution:cadre-dev:${run}`;
const RUN_ID = /[a-z]+-[0-9a-z]{14}\b/;
/** Without what differs from run to run. */
const plain = (text: string) =>
  text
    .replaceAll(new RegExp(RUN_ID, 'g'), 'RUN')
    .replaceAll(/\d+ms/g, 'MS')
    .replaceAll(/\d+\.\ds/g, 'S');

test('run and show say the same as in a folder, and where to look besides', async () => {
  const { cwd, here, there } = await both(['run', 'lead', '-p', 'go', '-v']);
  expect([there.code, there.out]).toEqual([here.code, here.out]);
  expect(here).toMatchObject({ code: 0, out: 'The kid knows.' });
  const [where = '', ...told] = there.err.split('\n');
  const id = RUN_ID.exec(where)?.[0] ?? '';
  expect(where).toBe(link(id));
  const beginning = here.err.indexOf('[turn 1]');
  expect(plain(told.join('\n'))).toBe(plain(here.err.slice(beginning)));

  const local = RUN_ID.exec((await cadre(['runs'], cwd).ended()).out)?.[0] ?? '';
  const [shownThere, shownHere] = await Promise.all([
    cadre(['show', id, '--messages', ...dev], cwd).ended(),
    cadre(['show', local, '--messages'], cwd).ended(),
  ]);
  expect(shownThere.err).toBe(`${link(id)}\n`);
  expect(plain(shownThere.out)).toBe(plain(shownHere.out));
  expect(shownHere.out).toContain('I know.');
});

test('a run that fails has the exit code that it has in a folder', async () => {
  const { here, there } = await both(['run', 'keyless', '-p', 'go', '--json']);
  expect([there.code, here.code]).toEqual([3, 3]);
  expect(plain(there.out.replace(/"duration_ms":\d+/, ''))).toBe(
    plain(here.out.replace(/"duration_ms":\d+/, '')),
  );
  expect(there.err.slice(there.err.indexOf('\n') + 1)).toBe(here.err);
});

test('watch follows a tree until another command stops it, with all its records closed', async () => {
  const cwd = await project();
  const run = cadre(['run', 'waiter', '-p', 'go', ...dev], cwd);
  await run.says('executions/details');
  await silentAsked.opened;
  const id = RUN_ID.exec(run.err)?.[0] ?? '';
  const watch = cadre(['watch', id, ...dev], cwd);
  await watch.says('[sub-agent] Calling "silent"');
  const stop = await cadre(['stop', id, ...dev], cwd).ended();
  expect(stop).toEqual({ code: 0, out: '', err: `run "${id}" is stopped\n` });
  expect(await run.ended()).toEqual({ code: 130, out: '', err: `${link(id)}\nError: stopped by the user\n` });
  const watched = await watch.ended();
  expect([watched.code, watched.out]).toEqual([130, '']);
  const lines = watched.err.trimEnd().split('\n');
  expect(lines.slice(0, 4)).toEqual([
    link(id),
    '[turn 1] Sending request (1 messages, 0 tool calls pending)',
    '[turn 1] Received response: tool_use (1 tool calls)',
    '[sub-agent] Calling "silent" (depth 1) with task: say nothing...',
  ]);
  expect(lines.at(-1)).toBe(`run "${id}" is stopped`);
});

test('Ctrl-C stops the whole tree', async () => {
  silentAsked = latch();
  const cwd = await project();
  const run = cadre(['run', 'waiter', '-p', 'go', ...dev], cwd);
  await run.says('executions/details');
  await silentAsked.opened;
  run.process.kill('SIGINT');
  const id = RUN_ID.exec(run.err)?.[0] ?? '';
  expect(await run.ended()).toEqual({
    code: 130,
    out: '',
    err: `${link(id)}\nError: interrupted by the user\n`,
  });
  await rehearsal.events.delivered();
  const shown = await cadre(['show', id, '--json', ...dev], cwd).ended();
  const { runs } = v.parse(
    v.object({ runs: v.array(v.object({ status: v.string() })) }),
    JSON.parse(shown.out),
  );
  expect(runs.map(({ status }) => status)).toEqual(['stopped', 'stopped']);
});

test('an environment that is not deployed is told of, with what would deploy it', async () => {
  expect(await cadre(['runs', '--env', 'prod'], await project()).ended()).toEqual({
    code: 2,
    out: '',
    err: 'Error: environment "prod" is not deployed in this account and Region (no parameter /cadre/prod); deploy it with: npx cdk deploy -c env=prod\n',
  });
});
