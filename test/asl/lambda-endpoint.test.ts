import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { lambdaEndpoint } from '../../src/asl/resources/lambda-endpoint.ts';
import type { Json } from '../../src/json.ts';
import { answers, lambdaThat, type Answer } from '../fixtures/lambda-api.ts';
import { definitionOf, INVOKE, machinesWith, ROLE, run } from './harness.ts';

const definition = definitionOf({
  Call: {
    Type: 'Task',
    Resource: INVOKE,
    Arguments: { FunctionName: 'work', Payload: '{% $states.input %}' },
    Output: '{% $states.result.Payload %}',
    End: true,
  },
});

/** How an execution that invokes the function ends. */
async function endOf(answer: Answer) {
  const { requests, url } = await lambdaThat(answer);
  const { execution } = await run(definition, { options: { invokeLambda: lambdaEndpoint(url) } });
  return { requests, url, execution };
}

describe('a function at an endpoint', () => {
  it('is invoked by its name, or by its ARN, with its payload', async () => {
    const arn = 'arn:aws:lambda:us-east-1:123456789012:function:work';
    const { requests, url } = await lambdaThat(answers(200, {}, '{"done":true}'));
    const invokeLambda = lambdaEndpoint(url);
    const byArn = definitionOf({ Call: { Type: 'Task', Resource: arn, End: true } });
    for (const each of [definition, byArn]) {
      const { execution } = await run(each, { input: { a: [1] }, options: { invokeLambda } });
      expect(execution).toMatchObject({ status: 'SUCCEEDED', output: { done: true } });
    }
    expect(requests).toEqual([
      'POST /2015-03-31/functions/work/invocations {"a":[1]}',
      `POST /2015-03-31/functions/${arn}/invocations {"a":[1]}`,
    ]);
  });

  it('that answers with nothing gives null', async () => {
    expect((await endOf(answers(200, {}, ''))).execution.output).toBeNull();
  });

  it.each<[string, Json, string, string]>([
    ['by its own type', { errorType: 'Bad', errorMessage: 'luck' }, 'Bad', '"errorMessage":"luck"'],
    ['as unknown if it has none', { errorMessage: 'luck' }, 'Lambda.Unknown', '{"errorMessage":"luck"}'],
  ])('that fails is told %s', async (_, payload, error, cause) => {
    const headers = { 'X-Amz-Function-Error': 'Unhandled' };
    const { execution } = await endOf(answers(200, headers, JSON.stringify(payload)));
    expect(execution).toMatchObject({ error, cause: expect.stringContaining(cause) });
  });

  it.each([
    [429, 'TooManyRequestsException', 'Lambda.TooManyRequestsException'],
    [500, 'ServiceException', 'Lambda.ServiceException'],
    [404, 'ResourceNotFoundException:http://internal', 'Lambda.ResourceNotFoundException'],
    [403, 'AccessDeniedException', 'Lambda.AWSLambdaException'],
    [502, undefined, 'Lambda.AWSLambdaException'],
  ])('that Lambda refuses with %i %s fails as %s, and is asked once', async (status, type, error) => {
    const headers = type === undefined ? {} : { 'x-amzn-ErrorType': type };
    const { execution, requests } = await endOf(answers(status, headers, '{"Message":"no"}'));
    const cause = `no (Service: AWSLambda; Status Code: ${status}; Error Code: ${error.replace('Lambda.', '')}; Request ID: request-1; Proxy: null)`;
    expect(execution).toMatchObject({ error, cause });
    expect(requests).toHaveLength(1);
  });

  it.each<[string, Answer, string]>([
    ['that is no JSON', answers(200, {}, 'oops'), 'answered with something other than JSON: oops'],
    ['that is cut off', (response) => response.destroy(), 'socket hang up'],
  ])('whose answer %s fails for the client', async (_, answer, cause) => {
    const { execution, requests, url } = await endOf(answer);
    expect(execution.error).toBe('Lambda.SdkClientException');
    expect(execution.cause).toContain(url);
    expect(execution.cause).toContain(cause);
    expect(requests).toHaveLength(1);
  });

  it('where no server listens fails for the client', async () => {
    const { server, url } = await lambdaThat(() => {});
    await new Promise((resolve) => server.close(resolve));
    const { execution } = await run(definition, { options: { invokeLambda: lambdaEndpoint(url) } });
    expect(execution).toMatchObject({
      error: 'Lambda.SdkClientException',
      cause: `no answer from ${url}: connect ECONNREFUSED ${new URL(url).host}`,
    });
  });

  it('is given up with its execution', async () => {
    let arrived = () => {};
    const arrival = new Promise<void>((resolve) => (arrived = resolve));
    let gone: Promise<unknown> = Promise.resolve();
    const { url } = await lambdaThat((response) => {
      gone = once(response, 'close');
      arrived();
    });
    const machines = machinesWith({}, { invokeLambda: lambdaEndpoint(url) });
    const { stateMachineArn } = machines.createStateMachine({ name: 'm', definition, roleArn: ROLE });
    const { executionArn } = machines.startExecution({ stateMachineArn });
    await arrival;
    machines.stopExecution({ executionArn });
    await gone;
    expect((await machines.ended(executionArn)).status).toBe('ABORTED');
  });

  it('is invoked as often at once as executions ask for', async () => {
    const atOnce = 120;
    const waiting: ServerResponse[] = [];
    const { url } = await lambdaThat((response) => {
      waiting.push(response);
      if (waiting.length === atOnce) for (const each of waiting) each.end('"met"');
    });
    const machines = machinesWith({}, { invokeLambda: lambdaEndpoint(url) });
    const { stateMachineArn } = machines.createStateMachine({ name: 'm', definition, roleArn: ROLE });
    const ends = Array.from({ length: atOnce }, () =>
      machines.ended(machines.startExecution({ stateMachineArn }).executionArn),
    );
    expect(new Set((await Promise.all(ends)).map(({ output }) => output))).toEqual(new Set(['met']));
  });
});
