import { createServer, request as send, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  CreateStateMachineCommand,
  DeleteStateMachineCommand,
  DescribeExecutionCommand,
  DescribeStateMachineCommand,
  DescribeStateMachineForExecutionCommand,
  GetExecutionHistoryCommand,
  ListExecutionsCommand,
  ListStateMachinesCommand,
  RedriveExecutionCommand,
  SendTaskFailureCommand,
  SendTaskHeartbeatCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
  UpdateStateMachineCommand,
  ValidateStateMachineDefinitionCommand,
} from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveStates } from '../../src/doors/cli/commands/states.ts';
import type { Json } from '../../src/json.ts';
import type { StatesServer } from '../../src/asl/server/server.ts';
import { definitionOf, INVOKE, ROLE } from './harness.ts';

const end = { Type: 'Pass', End: true };
let lambda: Server;
let server: StatesServer;
let client: SFNClient;
/** The inputs of the functions, and of the one that hands out a token. */
const invoked: string[] = [];

/** A stand-in for Lambda's Invoke API with functions `echo`, `fail` and `keep`. */
const answerInvoke: RequestListener = (request, response) => {
  const name = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(
    decodeURIComponent(request.url ?? ''),
  )?.[1];
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    invoked.push(`${request.method} ${name} ${body}`);
    const headers = { 'Content-Type': 'application/json', 'x-amzn-RequestId': 'request-1' };
    if (name === 'echo' || name === 'keep') response.writeHead(200, headers).end(body);
    else if (name === 'fail') {
      response
        .writeHead(200, { ...headers, 'X-Amz-Function-Error': 'Unhandled' })
        .end('{"errorType":"Bad","errorMessage":"luck"}');
    } else {
      response
        .writeHead(404, { ...headers, 'x-amzn-ErrorType': 'ResourceNotFoundException:http://internal' })
        .end(JSON.stringify({ Message: `Function not found: ${name}` }));
    }
  });
};

beforeAll(async () => {
  lambda = createServer(answerInvoke);
  await new Promise<void>((resolve) => lambda.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = lambda.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  server = await serveStates({ port: 0, lambdaEndpoint: `http://127.0.0.1:${address.port}/` });
  client = clientOf(server);
});

function clientOf({ url }: StatesServer): SFNClient {
  const credentials = { accessKeyId: 'any', secretAccessKey: 'any' };
  return new SFNClient({ endpoint: url, region: 'us-east-1', credentials, maxAttempts: 1 });
}

afterAll(async () => {
  client.destroy();
  await server.close();
  await new Promise((resolve) => lambda.close(resolve));
});

let count = 0;
async function create(states: Parameters<typeof definitionOf>[0]): Promise<string> {
  const definition = JSON.stringify(definitionOf(states));
  const { stateMachineArn } = await client.send(
    new CreateStateMachineCommand({ name: `machine-${++count}`, definition, roleArn: ROLE }),
  );
  return stateMachineArn ?? '';
}

async function runToEnd(stateMachineArn: string, input?: Json) {
  const { executionArn } = await client.send(
    new StartExecutionCommand({
      stateMachineArn,
      ...(input !== undefined && { input: JSON.stringify(input) }),
    }),
  );
  for (;;) {
    const { $metadata, ...execution } = await client.send(new DescribeExecutionCommand({ executionArn }));
    expect($metadata.httpStatusCode).toBe(200);
    if (execution.status !== 'RUNNING') return execution;
  }
}

const call = (functionName: string) => ({
  Type: 'Task',
  Resource: INVOKE,
  Arguments: { FunctionName: functionName, Payload: { is: '{% $states.input %}' } },
  End: true,
});

describe('the server, by the AWS SDK', () => {
  it('runs a machine whose function is called over the Invoke API', async () => {
    const stateMachineArn = await create({
      Call: {
        ...call('arn:aws:lambda:us-east-1:123456789012:function:echo'.split(':').at(-1) ?? ''),
        Output: '{% $states.result.Payload %}',
      },
    });
    const execution = await runToEnd(stateMachineArn, ['x']);
    expect(execution).toMatchObject({
      status: 'SUCCEEDED',
      input: '["x"]',
      output: '{"is":["x"]}',
      stateMachineArn,
      stopDate: expect.any(Date),
    });
    expect(invoked).toContain('POST echo {"is":["x"]}');
  });

  it('tells a function that failed from one that is missing', async () => {
    const failed = await runToEnd(await create({ Call: call('fail') }));
    expect(failed).toMatchObject({
      status: 'FAILED',
      error: 'Bad',
      cause: '{"errorType":"Bad","errorMessage":"luck"}',
    });
    const missing = await runToEnd(await create({ Call: call('gone') }));
    expect(missing).toMatchObject({
      error: 'Lambda.ResourceNotFoundException',
      cause:
        'Function not found: gone (Service: AWSLambda; Status Code: 404; Error Code: ResourceNotFoundException; Request ID: request-1; Proxy: null)',
    });
  });

  it('describes, lists and deletes machines, and creates the same one twice', async () => {
    const definition = JSON.stringify(definitionOf({ Only: end }));
    const request = { name: 'described', definition, roleArn: ROLE };
    const { stateMachineArn, creationDate } = await client.send(new CreateStateMachineCommand(request));
    expect(await client.send(new CreateStateMachineCommand(request))).toMatchObject({
      stateMachineArn,
      creationDate,
    });
    await expect(
      client.send(new CreateStateMachineCommand({ ...request, definition: `${definition} ` })),
    ).rejects.toMatchObject({ name: 'StateMachineAlreadyExists' });
    expect(await client.send(new DescribeStateMachineCommand({ stateMachineArn }))).toMatchObject({
      ...request,
      type: 'STANDARD',
      status: 'ACTIVE',
      creationDate,
    });
    const { executionArn } = await client.send(new StartExecutionCommand({ stateMachineArn }));
    expect(await client.send(new DescribeStateMachineForExecutionCommand({ executionArn }))).toMatchObject({
      stateMachineArn,
      definition,
    });
    const { stateMachines } = await client.send(new ListStateMachinesCommand({ maxResults: 1000 }));
    expect(stateMachines).toContainEqual({
      stateMachineArn,
      name: 'described',
      type: 'STANDARD',
      creationDate,
    });
    await client.send(new DeleteStateMachineCommand({ stateMachineArn }));
    await expect(client.send(new DescribeStateMachineCommand({ stateMachineArn }))).rejects.toMatchObject({
      name: 'StateMachineDoesNotExist',
    });
  });

  it('tells what is wrong with a definition without creating anything', async () => {
    const validate = (states: Parameters<typeof definitionOf>[0]) =>
      client.send(
        new ValidateStateMachineDefinitionCommand({ definition: JSON.stringify(definitionOf(states)) }),
      );
    expect(await validate({ Only: end })).toMatchObject({ result: 'OK', diagnostics: [] });
    expect(await validate({ Only: { ...end, Output: '{% $nobody %}' } })).toMatchObject({
      result: 'OK',
      diagnostics: [{ severity: 'WARNING', code: 'UNDEFINED_VARIABLE', location: '/States/Only/Output' }],
    });
    expect(await validate({ Only: { Type: 'Pass', Next: 'Gone' } })).toMatchObject({
      result: 'FAIL',
      diagnostics: [
        { severity: 'ERROR', code: 'MISSING_TRANSITION_TARGET', location: '/States/Only/Next' },
        { severity: 'ERROR', code: 'NO_TERMINAL_STATE', location: '/States' },
      ],
    });
  });

  it('gives the history in pages, either way round, with values or without', async () => {
    const stateMachineArn = await create({ One: { Type: 'Pass', Next: 'Two' }, Two: end });
    const { executionArn } = await runToEnd(stateMachineArn, { a: 1 });
    const types: (string | undefined)[] = [];
    let nextToken: string | undefined;
    let pages = 0;
    do {
      const page = await client.send(
        new GetExecutionHistoryCommand({ executionArn, maxResults: 4, nextToken }),
      );
      types.push(...(page.events ?? []).map(({ type }) => type));
      nextToken = page.nextToken;
      pages++;
    } while (nextToken !== undefined);
    expect(pages).toBe(2);
    expect(types).toEqual([
      'ExecutionStarted',
      'PassStateEntered',
      'PassStateExited',
      'PassStateEntered',
      'PassStateExited',
      'ExecutionSucceeded',
    ]);
    const { events } = await client.send(
      new GetExecutionHistoryCommand({
        executionArn,
        reverseOrder: true,
        includeExecutionData: false,
        maxResults: 2,
      }),
    );
    expect(events).toEqual([
      {
        id: 6,
        previousEventId: 5,
        timestamp: expect.any(Date),
        type: 'ExecutionSucceeded',
        executionSucceededEventDetails: {},
      },
      {
        id: 5,
        previousEventId: 4,
        timestamp: expect.any(Date),
        type: 'PassStateExited',
        stateExitedEventDetails: { name: 'Two' },
      },
    ]);
    await expect(
      client.send(new GetExecutionHistoryCommand({ executionArn, nextToken: 'made up' })),
    ).rejects.toMatchObject({ name: 'InvalidToken' });
  });

  it('lists executions by status, newest first, in pages', async () => {
    const stateMachineArn = await create({ Wait: { Type: 'Wait', Seconds: 1000, End: true } });
    for (const name of ['a', 'b', 'c'])
      await client.send(new StartExecutionCommand({ stateMachineArn, name }));
    const stopped = `${stateMachineArn.replace(':stateMachine:', ':execution:')}:b`;
    await client.send(new StopExecutionCommand({ executionArn: stopped, error: 'E', cause: 'C' }));
    const list = async (request: { statusFilter?: 'RUNNING' | 'ABORTED'; maxResults?: number }) =>
      client.send(new ListExecutionsCommand({ stateMachineArn, ...request }));
    expect((await list({})).executions?.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'c RUNNING',
      'b ABORTED',
      'a RUNNING',
    ]);
    expect((await list({ statusFilter: 'ABORTED' })).executions?.map(({ name }) => name)).toEqual(['b']);
    const first = await list({ statusFilter: 'RUNNING', maxResults: 1 });
    expect(first.executions?.map(({ name }) => name)).toEqual(['c']);
    const second = await client.send(
      new ListExecutionsCommand({
        stateMachineArn,
        statusFilter: 'RUNNING',
        maxResults: 1,
        nextToken: first.nextToken,
      }),
    );
    expect(second.executions?.map(({ name }) => name)).toEqual(['a']);
    expect(second.nextToken).toBeUndefined();
    for (const name of ['a', 'c'])
      await client.send(new StopExecutionCommand({ executionArn: stopped.replace(/b$/, name) }));
  });

  it('redrives an execution, and keeps the machine that it was started with', async () => {
    const states = { Wait: { Type: 'Wait', Timestamp: '2030-01-01T00:00:00Z', End: true } };
    const stateMachineArn = await create(states);
    const { executionArn } = await client.send(new StartExecutionCommand({ stateMachineArn }));
    await client.send(new StopExecutionCommand({ executionArn }));
    expect(await client.send(new DescribeExecutionCommand({ executionArn }))).toMatchObject({
      status: 'ABORTED',
      redriveCount: 0,
      redriveStatus: 'REDRIVABLE',
    });
    const definition = JSON.stringify(definitionOf({ Only: end }));
    const { updateDate } = await client.send(new UpdateStateMachineCommand({ stateMachineArn, definition }));
    expect(await client.send(new DescribeStateMachineCommand({ stateMachineArn }))).toMatchObject({
      definition,
    });
    expect(updateDate).toBeInstanceOf(Date);
    await expect(client.send(new UpdateStateMachineCommand({ stateMachineArn }))).rejects.toMatchObject({
      name: 'MissingRequiredParameter',
    });

    const { redriveDate } = await client.send(new RedriveExecutionCommand({ executionArn }));
    expect(await client.send(new DescribeExecutionCommand({ executionArn }))).toMatchObject({
      status: 'RUNNING',
      redriveCount: 1,
      redriveDate,
      redriveStatus: 'NOT_REDRIVABLE',
      redriveStatusReason: 'Execution is RUNNING and cannot be redriven',
    });
    expect(await client.send(new DescribeStateMachineForExecutionCommand({ executionArn }))).toMatchObject({
      definition: JSON.stringify(definitionOf(states)),
    });
    const { events } = await client.send(new GetExecutionHistoryCommand({ executionArn }));
    expect(events?.at(-1)).toMatchObject({
      type: 'ExecutionRedriven',
      executionRedrivenEventDetails: { redriveCount: 1 },
    });
    const { executions } = await client.send(new ListExecutionsCommand({ stateMachineArn }));
    expect(executions).toMatchObject([{ redriveCount: 1, redriveDate }]);
    await expect(client.send(new RedriveExecutionCommand({ executionArn }))).rejects.toMatchObject({
      name: 'ExecutionNotRedrivable',
    });
    await client.send(new StopExecutionCommand({ executionArn }));
  });

  it('hands out task tokens and takes them back', async () => {
    const ask = {
      ...call('keep'),
      Resource: `${INVOKE}.waitForTaskToken`,
      Arguments: { FunctionName: 'keep', Payload: '{% $states.context.Task.Token %}' },
    };
    const stateMachineArn = await create({ Ask: ask });
    const tokenOf = async () => {
      const before = invoked.length;
      const { executionArn } = await client.send(new StartExecutionCommand({ stateMachineArn }));
      for (;;) {
        const { events } = await client.send(new GetExecutionHistoryCommand({ executionArn }));
        const text = invoked[before]?.replace('POST keep ', '');
        if (text !== undefined && events?.at(-1)?.type === 'TaskSubmitted')
          return { taskToken: String(JSON.parse(text)), executionArn };
      }
    };
    const good = await tokenOf();
    await client.send(new SendTaskHeartbeatCommand(good));
    await expect(client.send(new SendTaskSuccessCommand({ ...good, output: '{' }))).rejects.toMatchObject({
      name: 'InvalidOutput',
    });
    await client.send(new SendTaskSuccessCommand({ ...good, output: '{"ok":true}' }));
    await expect(client.send(new SendTaskSuccessCommand({ ...good, output: '1' }))).rejects.toMatchObject({
      name: 'TaskTimedOut',
    });
    const bad = await tokenOf();
    await client.send(new SendTaskFailureCommand({ ...bad, error: 'No', cause: 'way' }));
    const [first, second] = await Promise.all(
      [good, bad].map(({ executionArn }) => client.send(new DescribeExecutionCommand({ executionArn }))),
    );
    expect(first).toMatchObject({ status: 'SUCCEEDED', output: '{"ok":true}' });
    expect(second).toMatchObject({ status: 'FAILED', error: 'No', cause: 'way' });
    await expect(client.send(new SendTaskHeartbeatCommand({ taskToken: 'x' }))).rejects.toMatchObject({
      name: 'InvalidToken',
    });
  });

  it('refuses by the names of the service', async () => {
    const stateMachineArn = await create({ Only: end });
    const refused = (request: Promise<unknown>) =>
      request.then(
        () => 'accepted',
        (error: unknown) => (error instanceof Error ? error.name : error),
      );
    const missing = stateMachineArn.replace(/machine-\d+$/, 'missing');
    expect(
      await Promise.all([
        refused(client.send(new StartExecutionCommand({ stateMachineArn: 'nonsense' }))),
        refused(client.send(new StartExecutionCommand({ stateMachineArn: missing }))),
        refused(client.send(new StartExecutionCommand({ stateMachineArn, input: '{' }))),
        refused(client.send(new StartExecutionCommand({ stateMachineArn, name: 'not a name' }))),
        refused(
          client.send(
            new StartExecutionCommand({ stateMachineArn, input: JSON.stringify('x'.repeat(262_143)) }),
          ),
        ),
        refused(
          client.send(
            new DescribeExecutionCommand({
              executionArn: `${missing.replace('stateMachine', 'execution')}:x`,
            }),
          ),
        ),
        refused(client.send(new CreateStateMachineCommand({ name: 'bad', definition: '{}', roleArn: ROLE }))),
        refused(
          client.send(
            new CreateStateMachineCommand({
              name: 'express',
              definition: JSON.stringify(
                definitionOf({
                  Wait: { Type: 'Task', Resource: `${INVOKE}.waitForTaskToken`, Arguments: {}, End: true },
                }),
              ),
              roleArn: ROLE,
              type: 'EXPRESS',
            }),
          ),
        ),
        refused(client.send(new ListStateMachinesCommand({ maxResults: 1001 }))),
      ]),
    ).toEqual([
      'InvalidArn',
      'StateMachineDoesNotExist',
      'InvalidExecutionInput',
      'InvalidName',
      'ValidationException',
      'ExecutionDoesNotExist',
      'InvalidDefinition',
      'InvalidDefinition',
      'ValidationException',
    ]);
  });
});

describe('the server, when it is opened', () => {
  it.each(['localhost:9104', 'http://'])('refuses %s as the endpoint of Lambda', async (endpoint) => {
    await expect(serveStates({ port: 0, lambdaEndpoint: endpoint })).rejects.toThrow(
      `--lambda-endpoint "${endpoint}" is not a URL; write, for instance, http://127.0.0.1:9104`,
    );
  });
});

describe('the server, when it is closed', () => {
  it('stops what runs, and without an endpoint calls no function', async () => {
    const lonely = await serveStates({ port: 0 });
    const other = clientOf(lonely);
    const definition = JSON.stringify(definitionOf({ Call: call('echo') }));
    const { stateMachineArn } = await other.send(
      new CreateStateMachineCommand({ name: 'lonely', definition, roleArn: ROLE }),
    );
    const { executionArn } = await other.send(new StartExecutionCommand({ stateMachineArn }));
    expect(await other.send(new DescribeExecutionCommand({ executionArn }))).toMatchObject({
      status: 'FAILED',
      error: 'Lambda.SdkClientException',
      cause: 'cannot invoke echo: start with --lambda-endpoint <url>',
    });
    other.destroy();
    await lonely.close();
    await expect(fetch(lonely.url)).rejects.toThrow('fetch failed');
  });
});

describe('the server, by hand', () => {
  const post = async (
    body: string,
    headers: Record<string, string> = { 'X-Amz-Target': 'AWSStepFunctions.ListStateMachines' },
  ) => {
    const response = await fetch(server.url, { method: 'POST', body, headers });
    return { status: response.status, body: await response.json() };
  };

  it.each([
    [
      'no JSON',
      '{',
      undefined,
      'SerializationException',
      expect.stringMatching(/^the body is not JSON: '.+'$/),
    ],
    ['no object', '[]', undefined, 'SerializationException', 'the body is not a JSON object'],
    [
      'a wrong type',
      '{"maxResults":"many"}',
      undefined,
      'ValidationException',
      "1 validation error detected: Value at 'maxResults' failed to satisfy constraint: Member must be an integer",
    ],
    [
      'no target',
      '{}',
      {},
      'UnknownOperationException',
      'the header X-Amz-Target does not name an operation of Step Functions: undefined',
    ],
    [
      'a target of another service',
      '{}',
      { 'X-Amz-Target': 'DynamoDB.Get' },
      'UnknownOperationException',
      'the header X-Amz-Target does not name an operation of Step Functions: DynamoDB.Get',
    ],
    [
      'an operation that there is not',
      '{}',
      { 'X-Amz-Target': 'AWSStepFunctions.toString' },
      'UnknownOperationException',
      'operation toString is not supported, only CreateStateMachine, UpdateStateMachine, ValidateStateMachineDefinition, DescribeStateMachine, DescribeStateMachineForExecution, DeleteStateMachine, ListStateMachines, StartExecution, DescribeExecution, ListExecutions, GetExecutionHistory, StopExecution, RedriveExecution, SendTaskSuccess, SendTaskFailure, SendTaskHeartbeat',
    ],
    [
      'too much',
      `"${'x'.repeat(5_000_000)}"`,
      undefined,
      'ValidationException',
      'the request takes more than 4194304 bytes',
    ],
  ])('answers %s with an error', async (_, body, headers, type, message) => {
    expect(await post(body, headers)).toEqual({
      status: 400,
      body: { __type: type, message },
    });
  });

  it.each([
    [
      'StartExecution',
      { name: 'x' },
      "1 validation error detected: Value at 'stateMachineArn' failed to satisfy constraint: Member must not be null",
    ],
    [
      'GetExecutionHistory',
      { executionArn: 1, maxResults: 1001 },
      "2 validation errors detected: Value at 'executionArn' failed to satisfy constraint: Member must be a string; Value at 'maxResults' failed to satisfy constraint: Member must have value less than or equal to 1000",
    ],
    [
      'GetExecutionHistory',
      { executionArn: 'x', maxResults: -1, reverseOrder: 1, nextToken: 1 },
      "3 validation errors detected: Value at 'reverseOrder' failed to satisfy constraint: Member must be a boolean; Value at 'maxResults' failed to satisfy constraint: Member must have value greater than or equal to 0; Value at 'nextToken' failed to satisfy constraint: Member must be a string",
    ],
    [
      'GetExecutionHistory',
      { executionArn: 'x', maxResults: 'many' },
      "1 validation error detected: Value at 'maxResults' failed to satisfy constraint: Member must be an integer",
    ],
    [
      'GetExecutionHistory',
      { executionArn: 'x', maxResults: 1.5 },
      "1 validation error detected: Value at 'maxResults' failed to satisfy constraint: Member must be an integer",
    ],
    [
      'SendTaskFailure',
      { taskToken: 'x', error: 'x'.repeat(257), cause: 'x'.repeat(32_769) },
      "2 validation errors detected: Value at 'error' failed to satisfy constraint: Member must have length less than or equal to 256; Value at 'cause' failed to satisfy constraint: Member must have length less than or equal to 32768",
    ],
    [
      'SendTaskSuccess',
      { taskToken: 'x', output: 'x'.repeat(262_145) },
      "1 validation error detected: Value at 'output' failed to satisfy constraint: Member must have length less than or equal to 262144",
    ],
    [
      'ListExecutions',
      { stateMachineArn: 'x', statusFilter: 'GONE' },
      "1 validation error detected: Value at 'statusFilter' failed to satisfy constraint: Member must satisfy enum value set: [RUNNING, SUCCEEDED, FAILED, TIMED_OUT, ABORTED, PENDING_REDRIVE]",
    ],
  ])('says what is wrong with the members of %s', async (operation, request, message) => {
    expect(await post(JSON.stringify(request), { 'X-Amz-Target': `AWSStepFunctions.${operation}` })).toEqual({
      status: 400,
      body: { __type: 'ValidationException', message },
    });
  });

  it('answers another method with an error, and goes on', async () => {
    expect((await fetch(server.url)).status).toBe(400);
    expect(await post('')).toMatchObject({ status: 200, body: { stateMachines: expect.any(Array) } });
  });

  it.each([
    [{ host: 'evil.example:PORT', 'sec-fetch-site': 'same-origin' }, 403],
    [{ host: '127.0.0.1' }, 403],
    [{ host: '127.0.0.1:PORT', origin: 'http://evil.example' }, 403],
    [{ host: '127.0.0.1:PORT', origin: 'null' }, 403],
    [{ host: '127.0.0.1:PORT', 'sec-fetch-site': 'cross-site' }, 403],
    [{ host: 'localhost:PORT', 'sec-fetch-site': 'same-site' }, 403],
    [{ host: 'localhost:PORT', origin: 'http://localhost:PORT' }, 200],
    [{ host: '127.0.0.1:PORT' }, 200],
  ])('answers a request with %j by %i', async (headers, status) => {
    const { port } = new URL(server.url);
    const named = Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', port)]);
    const answered = await new Promise((resolve, reject) => {
      const target = { 'X-Amz-Target': 'AWSStepFunctions.ListStateMachines' };
      send(
        server.url,
        { method: 'POST', headers: { ...Object.fromEntries(named), ...target } },
        (response) => {
          response.resume().on('end', () => resolve(response.statusCode));
        },
      )
        .on('error', reject)
        .end('{}');
    });
    expect(answered).toBe(status);
  });
});
