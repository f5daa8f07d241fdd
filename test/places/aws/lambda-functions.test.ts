import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { lambdaFunctions } from '../../../src/places/aws/lambda-functions.ts';
import { answers, lambdaThat, type Answer } from '../../fixtures/lambda-api.ts';

const signal = () => new AbortController().signal;

async function resultOf(answer: Answer, name = 'weather') {
  const { requests, url } = await lambdaThat(answer);
  const result = await lambdaFunctions(url)(name, { arguments: { city: 'Ulm' }, signal: signal() });
  return { requests, result };
}

describe('a function of Lambda', () => {
  test.each([
    ['weather', 'weather'],
    ['weather:live', 'weather:live'],
    [
      'arn:aws:lambda:eu-west-1:123456789012:function:weather',
      'arn:aws:lambda:eu-west-1:123456789012:function:weather',
    ],
  ])('is invoked as %s with the arguments, and gives back what it answers', async (name, shown) => {
    expect(await resultOf(answers(200, {}, '{"sun":true}'), name)).toEqual({
      requests: [`POST /2015-03-31/functions/${shown}/invocations {"city":"Ulm"}`],
      result: { value: { sun: true } },
    });
  });

  test('that answers nothing gives back null', async () => {
    expect(await resultOf(answers(200, {}, ''))).toMatchObject({ result: { value: null } });
  });

  const fault = { 'X-Amz-Function-Error': 'Unhandled' };
  test.each<[string, Answer, string]>([
    [
      'fails',
      answers(200, fault, '{"errorType":"RangeError","errorMessage":"too far"}'),
      'RangeError: too far',
    ],
    [
      'is too late for its own limit',
      answers(
        200,
        fault,
        '{"errorType":"Sandbox.Timedout","errorMessage":"Task timed out after 3.00 seconds"}',
      ),
      'Sandbox.Timedout: Task timed out after 3.00 seconds',
    ],
    [
      'answers too much',
      answers(
        200,
        fault,
        '{"errorType":"Function.ResponseSizeTooLarge","errorMessage":"Response payload size …"}',
      ),
      'its result is larger than 6 MB',
    ],
    ['fails without a word', answers(200, fault, '[]'), 'it did not say why'],
    ['answers no JSON', answers(200, {}, '<html>'), 'it answered with something that is not JSON'],
    [
      'is throttled',
      answers(429, { 'x-amzn-errortype': 'TooManyRequestsException' }, '{"message":"Rate exceeded"}'),
      'Lambda has no room for the call now (throttled): try again later',
    ],
    [
      'is not there',
      answers(404, { 'x-amzn-errortype': 'ResourceNotFoundException' }, '{"Message":"Function not found"}'),
      'there is no Lambda function "weather"',
    ],
    [
      'is not for this caller',
      answers(403, { 'x-amzn-errortype': 'AccessDeniedException' }, '{"Message":"not authorized"}'),
      'AccessDeniedException: not authorized',
    ],
    [
      'is broken at AWS',
      answers(500, { 'x-amzn-errortype': 'ServiceException' }, '{"Message":"sorry"}'),
      'ServiceException: sorry',
    ],
  ])('that %s is told of in words, and asked once', async (_, answer, failed) => {
    const { requests, result } = await resultOf(answer);
    expect(result).toEqual({ failed });
    expect(requests).toHaveLength(1);
  });

  test('that nothing answers for is told of in words', async () => {
    const { url, server } = await lambdaThat(answers(200, {}, ''));
    server.close();
    await once(server, 'close');
    const result = await lambdaFunctions(url)('weather', { arguments: {}, signal: signal() });
    expect(result).toEqual({ failed: expect.stringMatching(/^Lambda could not be asked: .*ECONNREFUSED/) });
  });

  test('is left when the call is stopped', async () => {
    const stop = new AbortController();
    const { url } = await lambdaThat(() => stop.abort());
    const calling = lambdaFunctions(url)('weather', { arguments: {}, signal: stop.signal });
    await expect(calling).rejects.toMatchObject({ name: 'AbortError' });
  });
});

test('a function that takes its time is called as often at once as it is asked to be', async () => {
  const calls = 60;
  const waiting: (() => void)[] = [];
  const { url } = await lambdaThat((...given) => {
    waiting.push(() => answers(200, {}, '1')(...given));
    if (waiting.length === calls) for (const answer of waiting) answer();
  });
  const invoke = lambdaFunctions(url);
  const results = Array.from({ length: calls }, () => invoke('weather', { arguments: {}, signal: signal() }));
  expect(await Promise.all(results)).toEqual(Array.from({ length: calls }, () => ({ value: 1 })));
});
