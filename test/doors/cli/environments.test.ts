import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { createDynamoDbTable, startDynamoDb } from '../../fixtures/dynamodb.ts';
import { serveOnLoopback } from '../../fixtures/loopback.ts';
import { startS3Server } from '../../fixtures/s3-server.ts';
import { stubAws } from '../../fixtures/stub-aws.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { typed, typedServer } from '../../fixtures/typed.ts';
import { anOpened, aRun } from '../../fixtures/records.ts';
import { openCloudEnvironment } from '../../../src/places/aws/cloud-environment.ts';
import type { RunRequest } from '../../../src/core/records/request.ts';
import { openCloudStore } from '../../../src/places/aws/store/cloud-store.ts';

const settings = mockClient(SSMClient);
afterAll(() => settings.restore());

const DEPLOYMENT = {
  region: 'eu-central-1',
  stateMachineArn: 'arn:aws:states:eu-central-1:123456789012:stateMachine:cadre-dev',
  tableName: 'table',
  bucketName: 'bucket',
  apiUrl: 'https://api.example.org',
  keepDays: 30,
};

function deployed(more: object = {}): void {
  settings
    .on(GetParameterCommand)
    .resolves({ Parameter: { Value: JSON.stringify({ ...DEPLOYMENT, ...more }) } });
}

/** An environment with a table and a bucket on loopback. */
async function deploy(more: object = {}) {
  const [dynamo, bucket] = await Promise.all([startDynamoDb(), startS3Server('bucket')]);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await Promise.all([dynamo.close(), bucket.close()]);
  });
  await createDynamoDbTable(dynamo.endpoint, 'table');
  deployed(more);
  stubAws({ AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint, AWS_ENDPOINT_URL_S3: bucket.endpoint });
  const cwd = await tempFolder({ 'here/a.md': 'one\n' });
  const type = async (line: string) => {
    const { code, out, err } = await typed(line.split(' '), cwd);
    return [
      code,
      ...`${out}${err}`
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
        .split('\n')
        .slice(0, -1),
    ];
  };
  return { type, cwd, bucket, ...openCloudStore({ ...DEPLOYMENT, bucket: 'bucket' }) };
}

test('an environment is paused once, by whoever was first, and goes on', async () => {
  const { type, runs } = await deploy();
  expect(await type('pause --env dev --reason upkeep')).toEqual([
    0,
    'environment "dev" is paused: nothing is started, and turns under way are the last; go on with: cadre unpause --env dev',
  ]);
  expect(await runs.pause()).toEqual({
    at: expect.any(String),
    by: 'bob',
    reason: 'upkeep',
    release: 'cadre unpause --env dev',
  });
  expect(await type('pause --env dev')).toEqual([
    0,
    'environment "dev" is already paused, by bob since <time>; go on with: cadre unpause --env dev',
  ]);
  expect(await type('unpause --env dev')).toEqual([
    0,
    'environment "dev" goes on; it was paused by bob since <time>; runs notice by themselves: within half a minute, or an eighth of that time if that is longer',
  ]);
  expect(await type('unpause --env dev')).toEqual([1, 'Error: environment "dev" is not paused']);
  expect(await type('pause --env dev')).toHaveLength(2);
  expect(await runs.pause()).not.toHaveProperty('reason');
});

test('the share of new runs that take the next agents is shown and set', async () => {
  const rollout = { id: 'r1', current: 'agents@1', next: 'agents-next@2', share: 0.1 };
  const { type, runs } = await deploy({ rollout });
  const id = 'x-00000000000001';
  await runs.insertRun(aRun({ id, root: id, agent: 'x', pack: 'agents-next@2' }));
  await runs.saveOpened(id, anOpened({ root: id }));
  const shares = (current: number, next: number) => [
    expect.stringMatching(new RegExp(`^agents@1 +${current} % of new trees +0 trees at work$`)),
    expect.stringMatching(new RegExp(`^agents-next@2 +${next} % of new trees +1 tree at work$`)),
  ];
  const by = 'set by bob, <time>';
  const stays = 'agents-next@2 stays deployed until what is at work of it has ended: 1 tree';
  expect(await type('rollout --env dev')).toEqual([0, ...shares(90, 10)]);
  expect(await type('rollout --env dev --next 0.25')).toEqual([0, ...shares(75, 25), by]);
  expect(await type('rollout --env dev --back')).toEqual([0, ...shares(100, 0), by, stays]);
  expect(await type('rollout --env dev --promote')).toEqual([
    0,
    ...shares(0, 100),
    by,
    'no tree at work needs agents@1 any more; to end the rollout, put the files of agents-next in place of those of agents, take "rollout" out of cdk.json, and deploy',
  ]);
  const [code, json] = await type('rollout --env dev --json');
  expect([code, JSON.parse(String(json))]).toEqual([
    0,
    {
      current: { pack: 'agents@1', share: 0, trees: 0 },
      next: { pack: 'agents-next@2', share: 1, trees: 1 },
      set: { by: 'bob', at: '<time>' },
    },
  ]);
});

test('the files that its agents work on are listed, copied to it and from it, and given to an owner', async () => {
  const { type } = await deploy({ issuer: 'https://login.example.org' });
  expect(await type('workspace push here --env dev --workdir work')).toEqual([
    0,
    'a.md',
    '1 file pushed, 0 already the same',
  ]);
  expect(await type('workspace list --env dev')).toEqual([0, 'work/a.md\t4']);
  expect(await type('workspace pull here --env dev')).toEqual([
    0,
    'work/a.md',
    '1 file pulled, 0 already the same',
  ]);
  expect(await type('workspace list --env dev --workdir other')).toEqual([0]);
  const [code] = await type('workspace assign work/a.md --env dev --owner ada');
  expect([
    code,
    await type('workspace list --env dev'),
    await type('workspace list --env dev --owner ada'),
  ]).toEqual([0, [0], [0, 'work/a.md\t4']]);
});

test('what works in this folder only is refused for an environment, before anything is asked of it', async () => {
  const { type } = await deploy();
  const only =
    'Error: --dry-run, --agents-dir and --lambda-endpoint work with the agents of this folder only; omit --env';
  expect([
    await type('run x --env dev --dry-run'),
    await type('run x --env dev --agents-dir here'),
    await type('run x --env dev --lambda-endpoint http://127.0.0.1:1'),
  ]).toEqual([
    [2, only],
    [2, only],
    [2, only],
  ]);
  const [code, ...told] = await type('run ../x --env dev');
  expect([code, told.join()]).toEqual([2, expect.stringContaining('../x')]);
});

test('commands that are proposed for an environment lead to it, and not to this folder', async () => {
  const { type, runs, cwd } = await deploy();
  expect([await type('runs --env dev'), await type('runs --env dev --agent x')]).toEqual([
    [0, 'no runs in environment "dev" yet; start one with: cadre run <agent> --env dev'],
    [0, 'no such runs in environment "dev"'],
  ]);
  expect(await type('show nope --env dev')).toEqual([
    2,
    'Error: run not found: nope; see: cadre runs --env dev',
  ]);
  const id = 'x-00000000000001';
  await runs.insertRun(aRun({ id, root: id, agent: 'x' }));
  const states = await serveOnLoopback((_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify({ status: 'RUNNING', startDate: 1 }));
  });
  onTestFinished(states.close);
  vi.stubEnv('AWS_ENDPOINT_URL_SFN', states.endpoint);
  expect([
    await type(`answer ${id} yes --env dev`),
    await type(`answer ${id} t1c1 yes --env dev`),
    await type(`replay ${id} --env dev`),
  ]).toEqual([
    [2, `Error: run "${id}" waits for no answer; see: cadre questions --env dev`],
    [2, `Error: run "${id}" has no question t1c1; see: cadre questions --env dev`],
    [2, `Error: run "${id}" is running; wait for it, or stop it first: cadre stop ${id} --env dev`],
  ]);
  await writeFile(
    join(cwd, 'here/x.toml'),
    'name = "x"\nmodel = "offline/extractive"\n[memory]\nenabled = true\nlast_n = 1\n',
  );
  const memory = ['--env', 'dev', '--owner', "O'Hara", '--issuer', 'https://i', '--agents-dir', 'here'];
  const given = (await typed(['memory', 'import', 'x', ...memory], cwd)).err;
  const of = String.raw`--env dev --agents-dir here --owner 'O'\''Hara' --issuer https://i`;
  expect(given).toBe(
    `Error: nothing to import; pass an exported memory: cadre memory import x ${of} < memory.md\n`,
  );
  const stdin = [1, 2].map((at) => `## 2026-01-31T10:0${at}:00Z\n**Task:** t\n**Result:** r\n\n`).join('');
  await typed(['memory', 'import', 'x', ...memory], cwd, { stdin });
  expect((await typed(['memory', 'show', 'x', ...memory], cwd)).err).toBe(
    `the last 1 of 2 entries; see all with: cadre memory export x ${of}\n`,
  );
});

test('the API of an environment is served here, with a signature in the place of a token', async () => {
  const asked: unknown[] = [];
  const api = await serveOnLoopback((request, response) => {
    asked.push([
      request.url,
      /Credential=test\/\d+\/eu-central-1\/(\S+)\/aws4_request/.exec(
        request.headers.authorization ?? '',
      )?.[1],
    ]);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"runs":[]}');
  });
  onTestFinished(api.close);
  const { cwd } = await deploy({ apiUrl: api.endpoint, takesSignatures: true });
  const served = await typedServer(['serve', '--env', 'dev', '--port', '0'], cwd);
  expect(await (await fetch(`${served.url}/runs`)).json()).toEqual({ runs: [] });
  expect(asked).toEqual([['/runs', 'execute-api']]);
  const lines = (what: string) => [
    `Serving environment "dev" on ${what}:`,
    `  page       ${what}/`,
    `  HTTP API   ${what}/openapi.json`,
  ];
  const told = (err: string) => err.split('\n').filter((line) => line !== '' && !line.includes(' GET '));
  expect(told(served.err)).toEqual([...lines(served.url), 'stop with Ctrl-C']);
  deployed({ apiUrl: api.endpoint, takesSignatures: true, doorsUrl: api.endpoint });
  const both = await typedServer(['serve', '--env', 'dev', '--port', '0'], cwd);
  expect(told(both.err)).toEqual([
    ...lines(both.url),
    `  MCP        ${both.url}/mcp`,
    `  OpenAI     ${both.url}/v1`,
    `  AG-UI      ${both.url}/agents/<agent>/ag-ui`,
    `  A2A        ${both.url}/a2a/<agent>`,
    'stop with Ctrl-C',
  ]);
  await fetch(`${both.url}/v1/models`);
  expect(asked.at(-1)).toEqual(['/v1/models', 'lambda']);
  deployed({ takesSignatures: false });
  expect((await typed(['serve', '--env', 'dev'], cwd)).err).toBe(
    'Error: the API of environment "dev" takes tokens, and no signatures: with "console": true, it has the page itself, at https://api.example.org\n',
  );
});

test('a text that an environment publishes can be fetched by its address, for a quarter of an hour', async () => {
  const { bucket } = await deploy();
  const environment = await openCloudEnvironment('dev');
  onTestFinished(() => environment.close());
  const before = Date.now();
  const { url, expiresAt } = await environment.publish('a/b', 'a text');
  const quarter = expiresAt - 900_000;
  expect(before <= quarter && quarter <= Date.now()).toBe(true);
  expect([...bucket.objects].map(([key, { bytes }]) => [key, String(bytes)])).toEqual([
    ['runs/a/b', 'a text'],
  ]);
  expect([await (await fetch(url)).text(), new URL(url).searchParams.get('X-Amz-Expires')]).toEqual([
    'a text',
    '900',
  ]);
});

test('an agent of an environment has a name, and its model a provider, whatever else is known there alone', async () => {
  await deploy();
  const environment = await openCloudEnvironment('dev');
  onTestFinished(() => environment.close());
  const start = async (request: RunRequest) => environment.start({ id: 'top-00000000000000', request });
  await expect(start({ agent: '../x', prompt: 'go' })).rejects.toThrow('invalid agent name "../x"');
  const overrides = { model: 'x' };
  await expect(start({ agent: 'top', prompt: 'go', overrides })).rejects.toThrow('invalid model format "x"');
});
