import { NO_UPLOADS } from '../../fixtures/no-uploads.ts';
import { handle } from 'hono/aws-lambda';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { openingsIn } from '../../../src/doors/api/folder-context.ts';
import { createApi } from '../../../src/doors/api/api.ts';
import { loadAgent } from '../../../src/core/agent-schema/load-agent.ts';
import { createDeployedEnvironment } from '../../../src/places/aws/deployed-environment.ts';
import { openAgentFolders } from '../../../src/authoring/loading/folders/agent-folders.ts';
import { openStage } from '../../fixtures/stage.ts';

/** The caller: the authorizer's part of an event. A caller who signs as an IAM principal has no subject. */
const IAM = { iam: { userArn: 'arn:aws:iam::123456789012:user/somebody', accountId: '123456789012' } };
const subject = (sub?: string) => ({
  jwt: { claims: { iss: 'https://login.example.org', sub }, scopes: null },
});
const ada = subject('ada');
const bob = subject('bob');

const Answer = v.object({
  statusCode: v.number(),
  body: v.string(),
  isBase64Encoded: v.boolean(),
});

/** The API of a deployment: events of API Gateway in, answers for it out. */
async function openDeployed(files: Record<string, string> = {}) {
  const roles = {
    top: ({ turn }: { turn: number }) =>
      turn === 1 ? [{ id: 'c', name: 'call_agent', arguments: { agent: 'kid', task: 'x' } }] : 'done',
    kid: () => 'small',
  };
  const { cwd, pipeline } = await openStage(roles, { top: 'sub_agents = ["kid"]\n' }, files);
  const { store, executions } = pipeline;
  const faults: unknown[] = [];
  const source = openAgentFolders({ cwd, env: {}, agentsDir: 'agents' });
  // oxlint-disable-next-line typescript/no-deprecated -- the package that hono 5 moves it to is not published yet
  const handler = handle(
    createApi({
      environment: createDeployedEnvironment({
        store,
        executions: { ...executions, endOf: async () => undefined },
        check: async ({ agent }) => (await loadAgent(agent, source)).agent,
        publish: () => Promise.reject(new Error('no text here is large')),
        uploads: NO_UPLOADS,
        send: async () => ({ mail: '', isLeftToAnother: false }),
        kill: async () => [],
        wakeAsker: () => Promise.reject(new Error('nobody waits')),
        now: Date.now,
      }),
      streams: false,
      source,
      models: [],
      openings: openingsIn(cwd),
      now: Date.now,
      log: ({ thrown }) => void faults.push(thrown),
    }),
  );
  return async (authorizer: object, method: string, path: string, headers: Record<string, string> = {}) => {
    const [rawPath, rawQueryString = ''] = path.split('?');
    const event = {
      version: '2.0',
      rawPath,
      rawQueryString,
      headers,
      requestContext: { domainName: 'api.example.org', http: { method }, authorizer },
      isBase64Encoded: false,
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the part of an event that is read
    const answer = v.parse(Answer, await handler(event as object as Parameters<typeof handler>[0]));
    expect(faults).toEqual([]);
    return { status: answer.statusCode, body: answer.isBase64Encoded ? undefined : JSON.parse(answer.body) };
  };
}

const ids = ({ body }: { body: { runs: { run_id: string }[] } }) => body.runs.map(({ run_id: id }) => id);

describe('a run that was started with a token', () => {
  test('is seen, stopped and resumed by its subject and by IAM principals, and by no other subject', async () => {
    const ask = await openDeployed();
    const { body } = await ask(ada, 'POST', '/agents/top/runs?wait=25');
    expect(body).toMatchObject({ status: 'succeeded', content: 'done' });
    const tree = await ask(ada, 'GET', `/runs/${body.run_id}/tree`);
    const kid = `kid-${body.run_id.slice('top-'.length)}-t1c1`;
    expect(JSON.stringify(tree.body)).toContain(kid);
    for (const id of [body.run_id, kid]) {
      for (const what of ['', '/tree', '/messages', '/result', '/events']) {
        const answers = [ada, IAM, bob].map((who) => ask(who, 'GET', `/runs/${id}${what}`));
        expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 404]);
      }
      for (const deed of ['stop', 'resume']) {
        expect((await ask(bob, 'POST', `/runs/${id}/${deed}`)).body.detail).toBe(`no run "${id}"`);
      }
      expect((await ask(ada, 'POST', `/runs/${id}/stop`)).status).toBe(200);
      expect((await ask(ada, 'POST', `/runs/${id}/resume`)).status).toBe(409); // it has its answer
    }
  });

  test('is in the lists of its subject and of IAM principals, page by page', async () => {
    const ask = await openDeployed();
    const started: string[] = [];
    for (const who of [ada, bob, IAM, ada, bob]) {
      started.unshift((await ask(who, 'POST', '/agents/kid/runs?wait=25')).body.run_id);
    }
    const [, second, , , fifth] = started;
    expect(ids(await ask(IAM, 'GET', '/runs'))).toEqual(started);
    expect(ids(await ask(ada, 'GET', '/runs'))).toEqual([second, fifth]);
    const first = await ask(ada, 'GET', '/runs?limit=1');
    expect([ids(first), first.body.next]).toEqual([[second], second]);
    expect(ids(await ask(ada, 'GET', `/runs?limit=1&after=${second}`))).toEqual([fifth]);
    expect(await ask(subject('eve'), 'GET', '/runs')).toMatchObject({ body: { runs: [], next: null } });
    expect(ids(await ask(ada, 'GET', '/runs?text=small'))).toEqual([second, fifth]);
    const runs = async (who: object) => (await ask(who, 'GET', '/costs?by=agent')).body.rows;
    expect(await runs(ada)).toMatchObject([{ agent: 'kid', runs: 2 }]);
    expect(await runs(IAM)).toMatchObject([{ agent: 'kid', runs: 5 }]);
    expect(await runs(subject('eve'))).toEqual([]);
  });

  test('has an Idempotency-Key of its subject alone', async () => {
    const ask = await openDeployed();
    const key = { 'idempotency-key': 'one' };
    const [hers, again, his] = await Promise.all(
      [ada, ada, bob].map((who) => ask(who, 'POST', '/agents/kid/runs?wait=25', key)),
    );
    expect(again?.body.run_id).toBe(hers?.body.run_id);
    expect(his).toMatchObject({ status: 200, body: { content: 'small' } });
    expect(his?.body.run_id).not.toBe(hers?.body.run_id);
  });
});

test('a subject reads what an agent may do and is told, and only IAM principals how it was set up', async () => {
  const ask = await openDeployed();
  const [own, others] = await Promise.all([ask(IAM, 'GET', '/agents/top'), ask(ada, 'GET', '/agents/top')]);
  const { file, ...shared } = own.body;
  expect(file).toContain('sub_agents = ["kid"]');
  expect(others.body).toEqual(shared);
  const { body } = await ask(ada, 'POST', '/agents/kid/runs?wait=25');
  const changes = [ada, IAM, bob].map((who) => ask(who, 'GET', `/runs/${body.run_id}/changes`));
  expect((await Promise.all(changes)).map(({ status }) => status)).toEqual([200, 200, 404]);
});

test('a subject is not told which path of an agent is wrong', async () => {
  const ask = await openDeployed({ 'agents/odd.toml': 'name = "odd"\nmodel = "m/x"\nskill = "none"\n' });
  const [own, others] = await Promise.all([ask(IAM, 'GET', '/agents/odd'), ask(ada, 'GET', '/agents/odd')]);
  expect(own.body.fault).toContain('skill not found: /');
  expect(others.body.fault).toBe('a part of it cannot be read: ask the operator of the environment');
});

test('a token without a subject is refused', async () => {
  const ask = await openDeployed();
  for (const [method, path] of [
    ['GET', '/runs'],
    ['POST', '/agents/kid/runs'],
  ] as const) {
    expect(await ask(subject(), method, path)).toMatchObject({
      status: 403,
      body: { detail: 'the token names no subject: the claim "sub" is missing' },
    });
  }
});
