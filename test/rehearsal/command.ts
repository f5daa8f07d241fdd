import { ListTablesCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import { describe, expect, test, vi } from 'vitest';
import type { Io } from '../../src/doors/cli/terminal/io.ts';
import type { Environment } from '../../src/places/environment.ts';
import { withEnvironment } from '../../src/doors/cli/shared-options.ts';
import { listRuns } from '../../src/doors/cli/commands/runs.ts';
import { recordRun } from '../../src/doors/cli/commands/record.ts';
import { replayRun } from '../../src/doors/cli/commands/replay.ts';
import { showRun } from '../../src/doors/cli/commands/show.ts';
import { ConfigError } from '../../src/errors.ts';
import { tableAttributes } from '../../src/places/aws/store/dynamodb/attributes.ts';
import { recordedIo } from '../fixtures/recorded-io.ts';
import { latch } from '../fixtures/stage.ts';
import { dynamoDbClient } from '../fixtures/dynamodb.ts';
import { withoutClosingLine } from '../fixtures/closing-line.ts';
import { startCommand } from '../fixtures/command.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';
import { SILENCE, type Role } from './converse.ts';
import { rehearsal } from './deployed.ts';
import { ACCOUNT, REGION } from './stack.ts';

/** The command in an environment and in a folder with the same agents, whose models are the same. */
export const AGENTS = {
  boss: 'name = "boss"\nmodel = "bedrock/anthropic.claude-boss"\nsub_agents = ["helper"]\n',
  helper: 'name = "helper"\nmodel = "bedrock/anthropic.claude-helper"\n',
  unkeyed: 'name = "unkeyed"\nmodel = "anthropic/claude-sonnet-4-5"\n',
  idler: 'name = "idler"\nmodel = "bedrock/anthropic.claude-idler"\nsub_agents = ["mute"]\n',
  mute: 'name = "mute"\nmodel = "bedrock/anthropic.claude-mute"\n',
  pair: 'name = "pair"\nmodel = "bedrock/anthropic.claude-pair"\nsub_agents = ["helper", "sleeper"]\n',
  sleeper: 'name = "sleeper"\nmodel = "bedrock/anthropic.claude-sleeper"\n',
};
let silentAsked = latch();
const sleeperAsked = latch();
/** The first time that it is asked it does not wake up. */
let isAsleep = true;
const pairAsked: string[] = [];

export const ROLES: Record<string, Role> = {
  boss: ({ turn }) => (turn === 1 ? [{ call: 'helper', task: 'what do you know?' }] : 'The helper knows.'),
  helper: () => 'I know.',
  pair({ turn, results }) {
    pairAsked.push(`turn ${turn}`);
    if (turn === 1) return ['helper', 'sleeper'].map((call) => ({ call, task: 'what do you know?' }));
    return results.map(({ text }) => text).join(' ');
  },
  sleeper() {
    pairAsked.push('sleeper');
    sleeperAsked.open();
    return isAsleep ? SILENCE : 'Now I know, too.';
  },
  idler: () => [{ call: 'mute', task: 'say nothing' }],
  mute() {
    silentAsked.open();
    return SILENCE;
  },
};

/** A command that looks at runs, in this process. */
async function look(
  environment: string | undefined,
  cwd: string,
  command: (environment: Environment, io: Io) => Promise<number>,
) {
  for (const [name, value] of Object.entries(rehearsal.environment)) vi.stubEnv(name, value);
  const io = recordedIo(cwd);
  const code = await withEnvironment(
    io,
    { ...(environment !== undefined && { env: environment }) },
    (environment) => command(environment, io),
  );
  return { code, out: io.out, err: io.err };
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
    .replaceAll(/ +\d+\.\ds/g, 'S')
    .replaceAll(/\S+ \S+Z/g, 'WHEN');

// Milliseconds: functions and commands start from cold, each in a process of its own.
export const describeCommand = () =>
  describe('the command in a deployed environment', () => {
    test('run and show say the same as in a folder, and where to look besides', async () => {
      const cwd = await project();
      const args = ['run', 'boss', '-p', 'go', '-v'];
      const [here, there] = await Promise.all([
        cadre(args, cwd).ended(),
        cadre([...args, ...dev], cwd).ended(),
      ]);
      expect([there.code, there.out]).toEqual([here.code, here.out]);
      expect(here).toMatchObject({ code: 0, out: 'The helper knows.' });
      const [where = '', ...rest] = there.err.split('\n');
      const id = RUN_ID.exec(where)?.[0] ?? '';
      expect(where).toBe(link(id));
      const beginning = here.err.indexOf('[turn 1]');
      const told = withoutClosingLine(rest.join('\n'));
      expect(plain(told)).toBe(plain(withoutClosingLine(here.err.slice(beginning))));
      expect(rest.at(-2)).toMatch(new RegExp(`^run ${id} succeeded in .+; see: cadre show ${id} --env dev$`));

      const listed = (environment: Environment, io: Io) =>
        listRuns(environment, { json: false, limit: 1 }, io);
      const [listedHere, listedThere] = [await look(undefined, cwd, listed), await look('dev', cwd, listed)];
      const local = RUN_ID.exec(listedHere.out)?.[0] ?? '';
      expect(RUN_ID.exec(listedThere.out)?.[0]).toBe(id);
      expect(plain(listedThere.out)).toBe(plain(listedHere.out));

      const shown = (run: string) => (environment: Environment, io: Io) =>
        showRun(run, environment, { json: false, messages: true }, io);
      const [shownHere, shownThere] = [
        await look(undefined, cwd, shown(local)),
        await look('dev', cwd, shown(id)),
      ];
      expect(shownThere.err).toBe(`${link(id)}\n`);
      expect(plain(shownThere.out)).toBe(plain(shownHere.out));
      expect(shownHere.out).toContain('I know.');

      const again = await look('dev', cwd, (environment, io) => replayRun(id, environment, {}, io));
      expect(again).toMatchObject({ code: 0, out: 'no difference: 2 runs, 3 turns\n' });
      await look('dev', cwd, (environment, io) => recordRun(id, 'boss.json', environment, {}, io));
      const recorded = await cadre(['test', 'boss.json'], cwd).ended();
      expect(recorded.out).toContain('1 recording: 1 same, 0 different\n');
    });

    test('everything that a run leaves in the table expires', async () => {
      const client = dynamoDbClient(rehearsal.environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '');
      const { TableNames: [TableName] = [] } = await client.send(new ListTablesCommand());
      const { Items = [] } = await client.send(new ScanCommand({ TableName }));
      const kept = Items.filter((item) => !(tableAttributes.expires in item));
      expect([Items.length > 0, kept]).toEqual([true, []]);
      client.destroy();
    });

    test('a run that fails has the exit code that it has in a folder, and says what to do in an account', async () => {
      const { code, out, err } = await cadre(['run', 'unkeyed', '-p', 'go', ...dev], await project()).ended();
      expect([code, out, withoutClosingLine(err.slice(err.indexOf('\n') + 1))]).toEqual([
        3,
        '',
        'Error: API key for provider "anthropic" is not configured (add "anthropic" to the secret KeysSecret of this environment)\n',
      ]);
    });

    test('watch follows a tree until another command stops it, with all its records closed', async () => {
      const cwd = await project();
      const run = cadre(['run', 'idler', '-p', 'go', ...dev], cwd);
      await run.says('executions/details');
      await silentAsked.opened;
      const id = RUN_ID.exec(run.err)?.[0] ?? '';
      const watch = cadre(['watch', id, ...dev], cwd);
      await watch.says('[sub-agent] Calling "mute"');
      const stop = await cadre(['stop', id, ...dev], cwd).ended();
      expect(stop).toEqual({ code: 0, out: '', err: `run "${id}" has ended: stopped\n` });
      expect(await run.ended()).toEqual({
        code: 130,
        out: '',
        err: expect.stringMatching(/\nError: stopped by the user\nrun .+ was stopped( by you)? in .+\n$/),
      });
      const watched = await watch.ended();
      expect([watched.code, watched.out]).toEqual([130, '']);
      const lines = watched.err.trimEnd().split('\n');
      expect(lines.slice(0, 4)).toEqual([
        link(id),
        '[turn 1] Sending request (1 messages, 0 tool calls pending)',
        '[turn 1] Received response: tool_use (1 tool calls)',
        '[sub-agent] Calling "mute" (depth 1) with task: say nothing...',
      ]);
      expect(lines.at(-1)).toBe(`run "${id}" has ended: stopped`);
    });

    test('resume goes on with a run that was stopped, as show says, and prints what run would have', async () => {
      const cwd = await project();
      const run = cadre(['run', 'pair', '-p', 'go', ...dev], cwd);
      await Promise.all([run.says('executions/details'), sleeperAsked.opened]);
      const id = RUN_ID.exec(run.err)?.[0] ?? '';
      expect(await cadre(['stop', id, ...dev], cwd).ended()).toMatchObject({ code: 0 });
      const next = `continue it with: cadre resume ${id} --env dev`;
      const { err: stopped } = await run.ended();
      expect(stopped.trimEnd()).toMatch(new RegExp(`; ${next}$`));
      const show = (environment: Environment, io: Io) =>
        showRun(id, environment, { json: false, messages: false, env: 'dev' }, io);
      const shown = await look('dev', cwd, show);
      expect(shown.err).toBe(`${link(id)}\n`);
      expect(shown.out.trimEnd().split('\n').at(-1)).toBe(next);

      isAsleep = false;
      const { code, out, err } = await cadre([...next.split(' ').slice(4), '-v'], cwd).ended();
      expect([code, out]).toEqual([0, 'I know. Now I know, too.']);
      expect(err.split('\n')).toContain(link(`${id}-r2`));
      expect(err.split('\n').filter((line) => line.startsWith('['))).toEqual([
        '[sub-agent] Calling "sleeper" (depth 1) with task: what do you know?...',
        expect.stringMatching(/^\[sub-agent\] "sleeper" completed in \d+ms \(16 chars returned\)$/),
        '[turn 2] Sending request (3 messages, 2 tool calls pending)',
        '[turn 2] Received response: end_turn (0 tool calls)',
      ]);
      expect(err).toMatch(
        new RegExp(`\nrun ${id} succeeded in .+, 3 runs, .+; see: cadre show ${id} --env dev\n$`),
      );
      expect(pairAsked).toEqual(['turn 1', 'sleeper', 'sleeper', 'turn 2']);

      const again = await look('dev', cwd, show);
      expect([again.err, again.out.includes('go on with')]).toEqual([`${link(`${id}-r2`)}\n`, false]);
    });

    test('Ctrl-C stops the whole tree', async () => {
      silentAsked = latch();
      const cwd = await project();
      const run = cadre(['run', 'idler', '-p', 'go', ...dev], cwd);
      await run.says('executions/details');
      await silentAsked.opened;
      run.process.kill('SIGINT');
      const id = RUN_ID.exec(run.err)?.[0] ?? '';
      expect(await run.ended()).toEqual({
        code: 130,
        out: '',
        err: expect.stringMatching(/\nError: interrupted by the user\nrun .+ was stopped( by you)? in .+\n$/),
      });
      await rehearsal.events.delivered();
      const tree = await look('dev', cwd, (environment, io) =>
        showRun(id, environment, { json: true, messages: false }, io),
      );
      const { runs } = v.parse(
        v.object({ runs: v.array(v.object({ status: v.string() })) }),
        JSON.parse(tree.out),
      );
      expect(runs.map(({ status }) => status)).toEqual(['stopped', 'stopped']);
    });

    test('serve shows the page here and signs what it asks of the environment', async () => {
      const cwd = await project();
      const serve = cadre(['serve', '--port', '0', ...dev], cwd);
      await serve.says('stop with Ctrl-C\n');
      const url = /http:\/\/127\.0\.0\.1:[1-9]\d+/.exec(serve.err)?.[0] ?? '';
      expect(serve.err.replaceAll(url, 'URL')).toBe(
        'Serving environment "dev" on URL:\n  page       URL/\n  HTTP API   URL/openapi.json\n  MCP        URL/mcp\n  OpenAI     URL/v1\n  AG-UI      URL/agents/<agent>/ag-ui\n  A2A        URL/a2a/<agent>\nstop with Ctrl-C\n',
      );
      expect(await (await fetch(url)).text()).toContain('<title>Cadre</title>');

      const started = await fetch(`${url}/agents/boss/runs?wait=25`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: url },
        body: '{"prompt": "größer?"}',
      });
      const result = v.parse(v.object({ run_id: v.string(), content: v.string() }), await started.json());
      expect([started.status, result.content]).toEqual([200, 'The helper knows.']);
      const events = await fetch(`${url}/runs/${result.run_id}/events`);
      expect(events.headers.get('content-type')).toBe('text/event-stream');
      expect(await events.text()).toMatch(/^retry: 100\n\nid: .+\ndata: \{"type":"RUN_STARTED"/);
      const foreign = await fetch(`${url}/runs`, { headers: { origin: 'http://evil.example' } });
      expect(foreign.status).toBe(403);

      serve.process.kill('SIGINT');
      expect((await serve.ended()).code).toBe(0);
      const nowhere = await cadre(['serve', '--env', 'prod'], cwd).ended();
      expect([nowhere.code, nowhere.err]).toEqual([
        2,
        'Error: environment "prod" is not deployed in this account and Region (no parameter /cadre/prod); deploy it with: npx cdk deploy -c env=prod\n',
      ]);
    });

    test('an environment that is not deployed is told of, with what would deploy it', async () => {
      const nothing = look('prod', await project(), () => Promise.resolve(0));
      await expect(nothing).rejects.toEqual(
        new ConfigError(
          'environment "prod" is not deployed in this account and Region (no parameter /cadre/prod); deploy it with: npx cdk deploy -c env=prod',
        ),
      );
    });
  });
