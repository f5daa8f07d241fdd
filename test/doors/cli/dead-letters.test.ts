import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import project from '../../../package.json' with { type: 'json' };
import { deadLetters } from '../../../src/doors/cli/commands/dead-letters.ts';
import { bodyOf, serveOnLoopback, type LoopbackServer } from '../../fixtures/loopback.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { typed } from '../../fixtures/typed.ts';
import { stubAws } from '../../fixtures/stub-aws.ts';

const ACCOUNT = 'eu-central-1:123456789012';
const MACHINE = `arn:aws:states:${ACCOUNT}:stateMachine:cadre-prod`;
const FUNCTION = `arn:aws:lambda:${ACCOUNT}:function:cadre-prod`;
const RUN = 'top-00000000000000';

interface Queued {
  id: string;
  at: string;
  body: unknown;
  attributes?: Record<string, string>;
  isHidden?: boolean;
}

const ended = {
  id: 'e1',
  source: 'aws.states',
  detail: {
    executionArn: `arn:aws:states:${ACCOUNT}:execution:cadre-prod:${RUN}-r2`,
    name: `${RUN}-r2`,
    status: 'ABORTED',
  },
};
const tick = {
  agent: 'daily',
  prompt: 'What is new?',
  time: '2026-11-21T07:00:00Z',
  prefix: 'daily',
  suffix: 'x',
};
const MESSAGES: Queued[] = [
  {
    id: 'm1',
    at: '2026-11-21T03:00:00.000Z',
    body: {
      version: '1.0',
      requestContext: { functionArn: `${FUNCTION}-control:$LATEST`, condition: 'RetriesExhausted' },
      requestPayload: { answered: { run: RUN, turn: 1, call: 1 } },
      responsePayload: { errorType: 'StoreUnavailableError', errorMessage: 'the table is\nthrottled' },
    },
  },
  {
    id: 'm2',
    at: '2026-11-21T02:00:00.000Z',
    body: ended,
    attributes: {
      TARGET_ARN: `${FUNCTION}-settle`,
      ERROR_CODE: 'NO_PERMISSIONS',
      ERROR_MESSAGE: 'not allowed',
    },
  },
  {
    id: 'm3',
    at: '2026-11-21T08:00:00.000Z',
    body: tick,
    attributes: { TARGET_ARN: `${MACHINE}-schedule`, ERROR_CODE: 'AWS.Scheduler.Throttled' },
  },
  { id: 'm4', at: '2026-11-21T09:00:00.000Z', body: 'no JSON' },
];
const LINES = [
  `2026-11-21T02:00:00.000Z  ABORTED of an execution was not written down (run ${RUN}): NO_PERMISSIONS: not allowed`,
  `2026-11-21T03:00:00.000Z  an answer did not reach its agent (run ${RUN}): the table is throttled`,
  '2026-11-21T08:00:00.000Z  the schedule of agent "daily" started nothing at 2026-11-21T07:00:00Z: AWS.Scheduler.Throttled',
  '2026-11-21T09:00:00.000Z  an event for an unknown target was not delivered: unknown; it cannot be sent again',
];

let queue: Queued[];
let done: unknown[];
let isBroken: boolean;
let gone: string | undefined;
let pause: object | undefined;
let aws: LoopbackServer;

beforeEach(async () => {
  queue = structuredClone(MESSAGES);
  done = [];
  isBroken = false;
  gone = undefined;
  pause = undefined;
  aws = await serveOnLoopback(async (request, response) => {
    const [status, answer] = await answerTo(request);
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(answer));
  });
  stubAws({
    AWS_ENDPOINT_URL: aws.endpoint,
    AWS_MAX_ATTEMPTS: '1',
  });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await aws.close();
});

/** Systems Manager, SQS with two messages at a time, Lambda and Step Functions. */
async function answerTo(request: IncomingMessage): Promise<[status: number, answer: unknown]> {
  const body = JSON.parse(String(await bodyOf(request)) || '{}');
  const operation = String(request.headers['x-amz-target']).replace(/^.*\./, '');
  switch (operation) {
    case 'GetParameter':
      return [200, { Parameter: { Value: JSON.stringify(deployment()) } }];
    case 'ReceiveMessage': {
      const given = queue.filter(({ isHidden }) => !isHidden).slice(0, 2);
      for (const message of given) message.isHidden = true;
      return [200, { Messages: given.map(toMessage) }];
    }
    case 'DeleteMessage':
      queue = queue.filter(({ id }) => `receipt-${id}` !== body.ReceiptHandle);
      return [200, {}];
    case 'ChangeMessageVisibilityBatch':
      for (const { ReceiptHandle, VisibilityTimeout } of body.Entries) {
        expect(VisibilityTimeout).toBe(0);
        for (const message of queue) if (`receipt-${message.id}` === ReceiptHandle) message.isHidden = false;
      }
      return [200, { Successful: [], Failed: [] }];
    case 'GetItem':
      return [
        200,
        pause === undefined ? {} : { Item: { value: { S: JSON.stringify({ pause }) }, version: { N: '1' } } },
      ];
    case 'StartExecution':
      done.push([body.stateMachineArn, body.name, JSON.parse(body.input)]);
      return [200, { executionArn: 'arn', startDate: 0 }];
  }
  const [, name = ''] = /\/functions\/([^/]+)/.exec(decodeURIComponent(request.url ?? '')) ?? [];
  if (name === gone) return [404, { __type: 'ResourceNotFoundException', Message: 'no such function' }];
  if (isBroken) return [500, { Type: 'Service', message: 'out of order' }];
  done.push([name, request.headers['x-amz-invocation-type'], body]);
  return [202, {}];
}

function deployment() {
  return {
    region: 'eu-central-1',
    stateMachineArn: MACHINE,
    tableName: 't',
    bucketName: 'b',
    apiUrl: 'https://api.example.org',
    keepDays: 30,
    upkeep: {
      version: project.version,
      deadLettersUrl: `${aws.endpoint}/123456789012/letters`,
      keysSecretArn: 'secret',
      alarmTopicArn: 'topic',
      pageTopicArn: 'topic',
    },
  };
}

function toMessage({ id, at, body, attributes = {} }: Queued) {
  const Body = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    MessageId: id,
    ReceiptHandle: `receipt-${id}`,
    Body,
    MD5OfBody: createHash('md5').update(Body).digest('hex'),
    Attributes: { SentTimestamp: String(Date.parse(at)) },
    MessageAttributes: Object.fromEntries(
      Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
    ),
  };
}

const cadre = async (...options: string[]) =>
  typed(['dead-letters', '--env', 'prod', ...options], await tempFolder());

test('dead letters are listed, oldest first: what, which run, when and why; and they stay where they are', async () => {
  for (let times = 0; times < 2; times++) {
    expect(await cadre()).toEqual({
      code: 0,
      out: `${LINES.join('\n')}\n`,
      err: '4 dead letters; once the reason is mended: cadre dead-letters --env prod --retry; to forget them: cadre dead-letters --env prod --delete\n',
    });
  }
  expect(done).toEqual([]);
  const { out } = await cadre('--json');
  expect(JSON.parse(out)[0]).toEqual({
    id: 'm2',
    at: '2026-11-21T02:00:00.000Z',
    what: 'ABORTED of an execution was not written down',
    run_id: RUN,
    why: 'NO_PERMISSIONS: not allowed',
    can_retry: true,
  });
});

test('what they are about is done again, under a name of its own, and what nobody can do again stays', async () => {
  const io = recordedIo(await tempFolder());
  expect([await deadLetters({ env: 'prod', retry: true }, io), io.err]).toEqual([
    1,
    '3 dead letters sent again; 1 cannot be: see docs/runbook.md#replaying-dead-letters\n',
  ]);
  expect(done).toEqual([
    [`${FUNCTION}-settle`, 'Event', ended],
    [`${FUNCTION}-control`, 'Event', { answered: { run: RUN, turn: 1, call: 1 } }],
    [`${MACHINE}-schedule`, 'dead-letter-m3', tick],
  ]);
  expect(queue).toEqual([{ ...MESSAGES[3], isHidden: false }]);
});

test('nothing is sent again while the environment is paused: ticks would be passed over, and be lost', async () => {
  pause = { at: '2026-11-23T03:12:00.000Z', by: 'ada', release: 'cadre unpause --env prod' };
  expect(await cadre('--retry')).toEqual({
    code: 1,
    out: '',
    err: 'Error: nothing is sent again: paused by ada since 2026-11-23T03:12:00.000Z: nothing is started; go on with: cadre unpause --env prod\n',
  });
  expect({ done, queue }).toEqual({
    done: [],
    queue: MESSAGES.map((each) => ({ ...each, isHidden: false })),
  });
  expect((await cadre()).out).toBe(`${LINES.join('\n')}\n`);
});

test('a letter stays that could not be sent again, as do those behind it', async () => {
  isBroken = true;
  expect(await cadre('--retry')).toMatchObject({
    code: 1,
    err: expect.stringContaining(`cannot call ${FUNCTION}-settle`),
  });
  expect(queue.map(({ id, isHidden }) => [id, isHidden])).toEqual(MESSAGES.map(({ id }) => [id, false]));
});

test('a letter stays whose function is gone, and those behind it are sent again all the same', async () => {
  gone = `${FUNCTION}-settle`;
  expect(await cadre('--retry')).toMatchObject({
    code: 1,
    err: `Error: cannot call ${gone}: not found (ResourceNotFoundException: no such function): check the name and the Region, or deploy the stack
2 dead letters sent again; 2 cannot be: see docs/runbook.md#replaying-dead-letters
`,
  });
  expect(done.map((each) => (Array.isArray(each) ? each[0] : each))).toEqual([
    `${FUNCTION}-control`,
    `${MACHINE}-schedule`,
  ]);
  expect(queue.map(({ id, isHidden }) => [id, isHidden])).toEqual([
    ['m2', false],
    ['m4', false],
  ]);
});

test('all of them can be forgotten, readable or not', async () => {
  expect(await cadre('--delete')).toMatchObject({ code: 0, err: '4 dead letters deleted\n' });
  expect([queue, done]).toEqual([[], []]);
  expect(await cadre()).toEqual({ code: 0, out: '', err: 'no dead letters\n' });
  expect(await cadre('--retry', '--delete')).toMatchObject({ code: 2 });
});
