import {
  InvokeWithResponseStreamCommand,
  LambdaClient,
  TooManyRequestsException,
  type InvokeWithResponseStreamResponseEvent,
} from '@aws-sdk/client-lambda';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { sandboxPrice } from '../../../src/places/aws/sandbox/price.ts';
import { sandboxCommands } from '../../../src/places/aws/sandbox/sandbox-commands.ts';

const lambda = mockClient(LambdaClient);
const sts = mockClient(STSClient);
beforeEach(() => {
  lambda.reset();
  sts.reset();
  sts.on(AssumeRoleCommand).resolves({
    Credentials: {
      AccessKeyId: 'id',
      SecretAccessKey: 'key',
      SessionToken: 'token',
      Expiration: new Date(0),
    },
  });
});
afterAll(() => {
  lambda.restore();
  sts.restore();
});

const PLACE = {
  settings: { role: 'arn:aws-cn:iam::123456789012:role/files', functions: { sandbox: 'arn:sandbox' } },
  bucket: 'texts',
  prefix: 'workspace@*?$/',
  rest: 'sandbox/top/',
  root: `a tree/${'x'.repeat(70)}`,
  sandbox: { network: false },
};

async function runs(events: (string | InvokeWithResponseStreamResponseEvent | Error)[], place = PLACE) {
  async function* stream() {
    for (const event of events) {
      if (event instanceof Error) throw event;
      yield typeof event === 'string' ? { PayloadChunk: { Payload: Buffer.from(event) } } : event;
    }
  }
  lambda.on(InvokeWithResponseStreamCommand).resolves({ EventStream: stream() });
  const told: string[] = [];
  const clients = { sts: new STSClient({ region: 'x' }), lambda: new LambdaClient({ region: 'x' }) };
  const ended = await sandboxCommands(place, clients).run('echo', {
    seconds: 9,
    signal: new AbortController().signal,
    tell: (text) => void told.push(text),
  });
  return { told, ended };
}

const RESULT = { output: 'ab', left: 0, exitCode: 0, timedOut: false, notes: ['n'] };
const ended = (more = {}) => `${JSON.stringify({ ended: { ...RESULT, ...more } })}\n`;
const paid = (more: object) => ({ ...more, nanoUsd: expect.any(Number) });
const lost = (why: string) => paid({ lost: why });
const failed = (ErrorCode: string, ErrorDetails?: string): InvokeWithResponseStreamResponseEvent => ({
  InvokeComplete: { ErrorCode, ErrorDetails },
});

test.each<[string, Parameters<typeof runs>[0], string[], object]>([
  ['with its result', [ended()], [], paid(RESULT)],
  [
    'with what it writes, in lines that come in pieces',
    ['{"output":"a"}\n{"out', 'put":"b"}\n', ended()],
    ['a', 'b'],
    paid(RESULT),
  ],
  [
    'killed',
    [ended({ exitCode: undefined, killedBy: 'SIGKILL' })],
    [],
    paid({ ...RESULT, exitCode: undefined, killedBy: 'SIGKILL' }),
  ],
  ['refused by its machine', ['{"refused":"no"}\n', ended()], [], paid(RESULT)],
  ['refused by it alone', ['{"refused":"no"}\n'], [], { refused: 'no' }],
  ['with a result that is none', [ended({ left: -1 })], [], lost('its answer is none')],
  ['with a signal that is none', [ended({ killedBy: 'x SIGKILL' })], [], lost('its answer is none')],
  ['with a text that is no JSON', ['x\n'], [], lost('its answer is none')],
  ['with half a line', ['{"output":"a"}'], [], lost('it ended without an answer')],
  ['for a fault of its function', [failed('Unhandled', 'died')], [], lost('Unhandled: died')],
  ['for a fault without details', [failed('Unhandled')], [], lost('Unhandled')],
  ['with its result before such a fault', [ended(), failed('Unhandled')], [], paid(RESULT)],
  ['where the connection is lost', ['{"output":"a"}\n', new Error('reset')], ['a'], lost('reset')],
  [
    'with its result, though the connection is lost after that',
    [ended(), new Error('reset')],
    [],
    paid(RESULT),
  ],
  [
    'with more than anybody reads',
    [{ PayloadChunk: { Payload: Buffer.alloc(64 * 2 ** 20 + 1) } }],
    [],
    lost('its answer is too long'),
  ],
])('a command in a function ends %s', async (_, events, told, expected) => {
  expect(await runs(events)).toEqual({ told, ended: expected });
});

test('a command gets keys for its own files alone, and its tree is the tenant', async () => {
  await runs([ended()]);
  const [session] = sts.commandCalls(AssumeRoleCommand).map(({ args: [{ input }] }) => input);
  expect({ ...session, Policy: JSON.parse(session?.Policy ?? '') }).toEqual({
    RoleArn: PLACE.settings.role,
    RoleSessionName: `a-tree-${'x'.repeat(57)}`,
    DurationSeconds: 900,
    Policy: {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Action: ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
          Resource: ['arn:aws-cn:s3:::texts/workspace@${*}${?}${$}/*', 'arn:aws-cn:s3:::texts/sandbox/top/*'],
        },
        {
          Effect: 'Allow',
          Action: ['s3:ListBucket'],
          Resource: ['arn:aws-cn:s3:::texts'],
          Condition: { StringLike: { 's3:prefix': ['workspace@${*}${?}${$}/*', 'sandbox/top/*'] } },
        },
        { Effect: 'Allow', Action: ['kms:Decrypt', 'kms:GenerateDataKey'], Resource: ['*'] },
      ],
    },
  });
  const [invoked] = lambda
    .commandCalls(InvokeWithResponseStreamCommand)
    .map(({ args: [{ input }] }) => input);
  expect({ ...invoked, Payload: JSON.parse(String(invoked?.Payload)) }).toEqual({
    FunctionName: 'arn:sandbox',
    TenantId: PLACE.root,
    Payload: {
      command: 'echo',
      seconds: 9,
      bucket: 'texts',
      prefix: PLACE.prefix,
      rest: 'sandbox/top/',
      credentials: { accessKeyId: 'id', secretAccessKey: 'key', sessionToken: 'token' },
    },
  });
});

test.each([
  [
    new TooManyRequestsException({ message: 'slow down', $metadata: { httpStatusCode: 429 } }),
    {
      refused: 'the sandbox cannot be had (TooManyRequestsException: slow down): try again later',
    },
  ],
  [new TooManyRequestsException({ message: 'broken', $metadata: { httpStatusCode: 500 } }), lost('broken')],
  [new TooManyRequestsException({ message: 'unknown', $metadata: {} }), lost('unknown')],
  [new Error('no answer'), lost('no answer')],
])('a command has begun unless Lambda has refused it: %s', async (fault, expected) => {
  lambda.on(InvokeWithResponseStreamCommand).rejects(fault);
  const clients = { sts: new STSClient({ region: 'x' }), lambda: new LambdaClient({ region: 'x' }) };
  const running = sandboxCommands(PLACE, clients).run('echo', {
    seconds: 9,
    signal: new AbortController().signal,
    tell: () => {},
  });
  expect(await running).toEqual(expected);
});

test('a command needs a sandbox of its kind, and keys', async () => {
  const refused = 'this environment was deployed without a sandbox for these commands';
  expect((await runs([], { ...PLACE, sandbox: { network: true } })).ended).toEqual({ refused });
  sts.on(AssumeRoleCommand).rejects(new Error('denied'));
  expect((await runs([])).ended).toEqual({
    refused: expect.stringMatching(/^the sandbox cannot be had: .*denied/),
  });
  const throttled = { name: 'Throttling', $metadata: { httpStatusCode: 400 } };
  sts.on(AssumeRoleCommand).rejects(Object.assign(new Error('Rate exceeded'), throttled));
  expect((await runs([])).ended).toEqual({
    refused: expect.stringMatching(/: too many requests \(Throttling: Rate exceeded\): try again later/),
  });
});

test('a command costs a request, and its memory and disk for as long as it lasts', () => {
  expect([0, 1, 60].map(sandboxPrice)).toEqual([200, 26_975, 1_606_697]);
});
