import { ListTablesCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { expect, onTestFinished, test, vi } from 'vitest';
import { mcpLogin } from '../../src/doors/cli/commands/mcp-login.ts';
import { newRunId } from '../../src/core/records/run-id.ts';
import { openCloudEnvironment } from '../../src/places/aws/cloud-environment.ts';
import { startAuthorizationServer } from '../fixtures/authorization-server.ts';
import { dynamoDbClient } from '../fixtures/dynamodb.ts';
import { recordedIo } from '../fixtures/recorded-io.ts';
import { latch } from '../fixtures/stage.ts';
import { tempFolder } from '../fixtures/temp-folder.ts';
import { startToolServer } from '../fixtures/tool-server.ts';
import { startRehearsal } from './rehearsal.ts';

const NAMED = 'https://tools.example.org/mcp';
const reader = (url: string) =>
  `name = "reader"\nmodel = "bedrock/anthropic.claude-reader"\n[[mcp_servers]]\nname = "wiki"\nurl = "${url}"\nauth = "oauth"\ntools = ["echo"]\n`;
const Servers = v.object({ servers: v.tuple([v.looseObject({ id: v.string(), connected: v.boolean() })]) });
const Address = v.object({ url: v.string() });

// Milliseconds: functions start from cold, each in a process of its own.
test('agents act with the environment’s account, and with that of the owner of a run, whose tokens one function renews and nobody sees', async () => {
  const authorization = await startAuthorizationServer();
  const { url } = await startToolServer('both', authorization.guard);
  /** How many runs are to call the server at once, and those that are about to. */
  let together = 1;
  let asking = 0;
  let all = latch();
  const rehearsal = await startRehearsal({
    agents: { reader: reader(NAMED) },
    servers: { [NAMED]: url },
    secrets: { key: 'of nobody’s choice, and long enough' },
    settings: {
      doors: false,
      console: true,
      jwt: { issuer: 'https://login.example.org', audience: ['cadre'] },
    },
    roles: {
      async reader({ turn, results }) {
        if (turn > 1) return results.map(({ text }) => text).join();
        if (++asking === together) all.open();
        await all.opened;
        return [{ tool: 'mcp__wiki__echo', input: { word: 'a' } }];
      },
    },
  });
  onTestFinished(() => rehearsal.close());
  for (const [name, value] of Object.entries(rehearsal.environment)) vi.stubEnv(name, value);
  const renewed = () => authorization.grants.filter((grant) => grant === 'refresh_token').length;
  const next = (count: number) => void ([together, asking, all] = [count, 0, latch()]);
  const runAs = async (subject: string) => {
    const { body } = await rehearsal.askApi('POST', '/agents/reader/runs?wait=25', {
      subject,
      json: { prompt: 'go' },
    });
    return [body['status'], body['content'] || body['error'] || JSON.stringify(body)];
  };
  const post = (subject: string, path: string, json: unknown = {}) =>
    rehearsal.askApi('POST', path, { subject, json });
  const isConnected = async (subject: string) => {
    const { body } = await rehearsal.askApi('GET', '/servers', { subject });
    return v.parse(Servers, body).servers[0].connected;
  };

  // Nobody has signed in.
  const [status, why] = await runAs('bob');
  expect([status, String(why)]).toEqual([
    'failed',
    expect.stringMatching(
      /server "wiki" takes a sign-in: connect an account of yours at https:\/\/a1b2c3d4e5\.execute-api\.\S+\/#\/servers/,
    ),
  ]);

  // The environment's own account, of which no person sees anything.
  const cwd = await tempFolder();
  await mkdir(join(cwd, 'agents'));
  await writeFile(join(cwd, 'agents/reader.toml'), reader(url));
  const io = recordedIo(cwd);
  const pages: Promise<string>[] = [];
  const stderr = (text: string) => {
    const [, address] = /^Sign in at: (\S+)/.exec(text) ?? [];
    if (address !== undefined) pages.push(authorization.signIn(address));
  };
  expect(await mcpLogin('reader', 'wiki', { env: 'dev' }, { ...io, stderr })).toBe(0);
  expect(await Promise.all(pages)).toEqual(['You are signed in. You can close this page.']);
  const environment = await openCloudEnvironment('dev');
  onTestFinished(() => environment.close());
  const runOfEnvironment = async () => {
    const id = newRunId('reader', Date.now());
    await environment.start({ id, request: { agent: 'reader', prompt: 'go' } });
    const { status } = await environment.ended(id);
    return [status, (await environment.records.turns(id)).at(-1)?.answer.text];
  };
  next(1);
  expect(await runOfEnvironment()).toEqual(['succeeded', 'echo: a']);
  expect(await isConnected('ada')).toBe(false);

  // A person's, who signs in on the page.
  const { body: listed } = await rehearsal.askApi('GET', '/servers', { subject: 'ada' });
  const [{ id }] = v.parse(Servers, listed).servers;
  const { body: begun } = await post('ada', `/servers/${id}/connect`);
  const back = await authorization.signIn(
    v.parse(Address, begun).url,
    'https://api.example.org/oauth/callback',
  );
  const { pathname, search, searchParams } = new URL(back);
  const page = await rehearsal.answerApi('GET', pathname + search);
  expect([page.status, String(page.body)]).toEqual([
    200,
    expect.stringContaining('content="0; url=../#/servers?state='),
  ]);
  const sent = Object.fromEntries(searchParams);
  expect((await post('bob', '/servers/callback', sent)).status).toBe(409);
  expect(await post('ada', '/servers/callback', sent)).toMatchObject({ status: 200, body: { id } });
  expect([await isConnected('ada'), await isConnected('bob')]).toEqual([true, false]);
  next(1);
  expect(await runAs('ada')).toEqual(['succeeded', 'echo: a']);
  expect(renewed()).toBe(0);

  // All tokens end; of two functions that call at once, one has them renewed.
  authorization.revoke();
  next(2);
  expect(await Promise.all([runAs('ada'), runAs('ada')])).toEqual([
    ['succeeded', 'echo: a'],
    ['succeeded', 'echo: a'],
  ]);
  expect(renewed()).toBe(1);
  next(1);
  expect(await runOfEnvironment()).toEqual(['succeeded', 'echo: a']);
  expect(renewed()).toBe(2);

  // What the server offered her is known for a while; the call says what is missing.
  await post('ada', `/servers/${id}/disconnect`);
  next(1);
  await rehearsal.lambda.endIdle();
  expect(await runAs('ada')).toEqual([
    'succeeded',
    expect.stringMatching(/^Error: mcp__wiki__echo failed - .*: connect an account of yours at https:/),
  ]);

  const client = dynamoDbClient(String(rehearsal.environment['AWS_ENDPOINT_URL_DYNAMODB']));
  const { TableNames: [TableName = ''] = [] } = await client.send(new ListTablesCommand({}));
  const { Items } = await client.send(new ScanCommand({ TableName }));
  client.destroy();
  const executions = rehearsal.machines
    .listStateMachines()
    .flatMap(({ stateMachineArn }) => rehearsal.machines.listExecutions({ stateMachineArn }));
  const histories = executions.map(({ executionArn }) =>
    rehearsal.machines.getExecutionHistory({ executionArn }),
  );
  const written = JSON.stringify([Items, histories, rehearsal.lambda.log]);
  const tokens = authorization.tokens();
  expect(tokens.length).toBeGreaterThanOrEqual(4);
  expect([...tokens, String(sent['code'])].filter((secret) => written.includes(secret))).toEqual([]);
});
