import {
  DescribeExecutionCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { createStepFunctionsExecutions } from '../../../src/places/aws/step-functions.ts';
import { createStepFunctionsWake } from '../../../src/places/aws/step-functions-wake.ts';

const MACHINE = 'arn:aws:states:eu-central-1:123456789012:stateMachine:cadre-dev';
const EXECUTION = 'arn:aws:states:eu-central-1:123456789012:execution:cadre-dev:one';

const client = new SFNClient({});
const service = mockClient(client);
beforeEach(() => void service.reset());
const executions = createStepFunctionsExecutions(client, MACHINE);

function refusal(name: string, message: string): Error {
  return Object.assign(new Error(message), { name, $metadata: { httpStatusCode: 400 } });
}

describe('starting', () => {
  test('names the machine and hands over the input as JSON', async () => {
    service.on(StartExecutionCommand).resolves({ executionArn: EXECUTION });
    expect(await executions.start('one', { agent: 'top' })).toBe(EXECUTION);
    expect(service.commandCalls(StartExecutionCommand).map(({ args }) => args[0].input)).toEqual([
      { stateMachineArn: MACHINE, name: 'one', input: '{"agent":"top"}' },
    ]);
  });

  test('a name that was used before is told apart from what went wrong', async () => {
    const cause = refusal('ExecutionAlreadyExists', 'Execution Already Exists');
    service.on(StartExecutionCommand).rejects(cause);
    await expect(executions.start('one', {})).rejects.toMatchObject({
      name: 'AlreadyStartedError',
      message: 'execution "one" was started before',
      cause,
    });
  });

  test.each([
    [
      refusal('ThrottlingException', 'Rate exceeded'),
      'too many requests (ThrottlingException: Rate exceeded): try again later or raise its limits',
      'StoreUnavailableError',
    ],
    [
      refusal('StateMachineDoesNotExist', 'no machine'),
      'not found (StateMachineDoesNotExist: no machine): check the name and the Region, or deploy the stack',
      'StoreError',
    ],
    [
      refusal('ExecutionLimitExceeded', 'too many'),
      'the service refused the request (ExecutionLimitExceeded: too many): try again; if it persists, look at the service',
      'StoreError',
    ],
    [
      new Error('getaddrinfo ENOTFOUND'),
      'no answer (Error: getaddrinfo ENOTFOUND): check the network, the Region and the endpoint, and try again',
      'StoreUnavailableError',
    ],
  ])('fails in words for people: %s', async (error, reason, name) => {
    service.on(StartExecutionCommand).rejects(error);
    await expect(executions.start('one', {})).rejects.toMatchObject({
      name,
      message: `cannot start execution "one" of ${MACHINE}: ${reason}`,
    });
  });

  test('gives the execution its name where the answer does not', async () => {
    service.on(StartExecutionCommand).resolves({});
    expect(await executions.start('one', {})).toBe(EXECUTION);
  });
});

describe('waking', () => {
  const wake = createStepFunctionsWake(client);

  test('hands the result to the state that waits for the token', async () => {
    service.on(SendTaskSuccessCommand).resolves({});
    await wake('a token', { approved: true });
    await wake('another');
    expect(service.commandCalls(SendTaskSuccessCommand).map(({ args }) => args[0].input)).toEqual([
      { taskToken: 'a token', output: '{"approved":true}' },
      { taskToken: 'another', output: '{}' },
    ]);
  });

  test.each(['InvalidToken', 'TaskDoesNotExist', 'TaskTimedOut'])(
    'is in order where no state waits any more: %s',
    async (name) => {
      service.on(SendTaskSuccessCommand).rejects(refusal(name, 'gone'));
      await expect(wake('a token')).resolves.toBeUndefined();
    },
  );

  test('fails in words for people', async () => {
    service.on(SendTaskSuccessCommand).rejects(refusal('AccessDeniedException', 'not authorized'));
    await expect(wake('a token')).rejects.toMatchObject({
      name: 'StoreError',
      message:
        'cannot wake an execution that waits for an answer: access denied (AccessDeniedException: not authorized): check the credentials and the permissions of their role',
    });
  });
});

describe('asking for the end', () => {
  test('tells that it runs, and then what it came to', async () => {
    service
      .on(DescribeExecutionCommand, { executionArn: EXECUTION })
      .resolvesOnce({ status: 'RUNNING' })
      .resolvesOnce({ status: 'SUCCEEDED', output: '{"next":"answered"}' });
    expect(await executions.endOf(EXECUTION)).toBeUndefined();
    expect(await executions.endOf(EXECUTION)).toEqual({ status: 'SUCCEEDED' });
  });

  test.each([
    { status: 'FAILED', error: 'AgentError', cause: 'no model' },
    { status: 'TIMED_OUT' },
    { status: 'ABORTED', cause: 'stopped by the user' },
  ] as const)('tells how it ended: %j', async (end) => {
    service.on(DescribeExecutionCommand).resolves(end);
    expect(await executions.endOf(EXECUTION)).toEqual(end);
  });

  test('fails where the execution cannot be looked at', async () => {
    service.on(DescribeExecutionCommand).rejects(refusal('AccessDeniedException', 'not authorized'));
    await expect(executions.endOf(EXECUTION)).rejects.toMatchObject({
      name: 'StoreError',
      message: `cannot describe execution ${EXECUTION}: access denied (AccessDeniedException: not authorized): check the credentials and the permissions of their role`,
    });
  });

  test('takes one that is not known for ended, unless it may have just begun', async () => {
    service.on(DescribeExecutionCommand).rejects(refusal('ExecutionDoesNotExist', 'gone'));
    expect(await executions.endOf(EXECUTION)).toEqual({ status: 'ABORTED' });
    expect(await executions.isRunning(EXECUTION, Date.now() - 3_600_000)).toBe(false);
    expect(await executions.isRunning(EXECUTION, Date.now())).toBe(true);
    expect(await executions.isRunning(EXECUTION, Infinity)).toBe(true);
  });
});

describe('an Express execution', () => {
  const express = 'arn:aws:states:us-east-1:123456789012:express:cadre-dev-leaves:one:two';

  test('runs as long as one can, for all that is known', async () => {
    const long = Date.now() - 300_000;
    expect(await executions.isRunning(express, Date.now())).toBe(true);
    expect(await executions.isRunning(express, long)).toBe(false);
    expect(await executions.endOf(express, long)).toEqual({ status: 'TIMED_OUT' });
    // Nothing redrives one.
    expect(await executions.isRunning(express)).toBe(false);
  });

  test('is left to end by itself', async () => {
    await executions.stop(express, 'stopped by the user');
    expect(service.calls()).toEqual([]);
  });
});

describe('stopping', () => {
  test('gives the cause', async () => {
    service.on(StopExecutionCommand).resolves({});
    await executions.stop(EXECUTION, 'stopped by the user');
    expect(service.commandCalls(StopExecutionCommand).map(({ args }) => args[0].input)).toEqual([
      { executionArn: EXECUTION, cause: 'stopped by the user' },
    ]);
  });

  test('does not ask first, since a stop changes nothing of one that has ended', async () => {
    service.on(StopExecutionCommand).resolves({});
    await executions.stop(EXECUTION, 'stopped by the user');
    expect(service.commandCalls(DescribeExecutionCommand)).toEqual([]);
  });

  test('has nothing to do where Step Functions has forgotten the execution, or it went with its machine', async () => {
    service.on(StopExecutionCommand).rejects(refusal('ExecutionDoesNotExist', 'gone'));
    await executions.stop(EXECUTION, 'stopped by the user');
    await executions.stop(EXECUTION, 'stopped by the user', Date.now() - 3_600_000);
    // One that has just begun may not be known yet, and is not stopped.
    await expect(executions.stop(EXECUTION, 'stopped by the user', Date.now())).rejects.toThrow('not found');
  });

  test('fails in words for people', async () => {
    service.on(StopExecutionCommand).rejects(refusal('AccessDeniedException', 'not authorized'));
    await expect(executions.stop(EXECUTION, '')).rejects.toMatchObject({
      name: 'StoreError',
      message: `cannot stop execution ${EXECUTION}: access denied (AccessDeniedException: not authorized): check the credentials and the permissions of their role`,
    });
  });
});
