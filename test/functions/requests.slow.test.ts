import { describe, expect, test } from 'vitest';
import { answers, lambdaThat } from '../fixtures/lambda-api.ts';
import { deployFunctions, recordLog, request } from './deployed.ts';

const { cold } = deployFunctions();

describe('the functions of a deployment', () => {
  test('read a request as API Gateway hands it over: encoded or not, with its query, its headers and its cookies', async () => {
    const api = await cold('api');
    const json = JSON.stringify({ prompt: 'Größe' });
    const start = request('POST', '/agents/top/runs', undefined, { 'idempotency-key': 'two' });
    const plain = await api({ ...start, body: json });
    const encoded = await api({
      ...start,
      cookies: ['a=1', 'b=2'],
      body: Buffer.from(json).toString('base64'),
      isBase64Encoded: true,
    });
    // The same request under one key, so the same run.
    expect([plain['statusCode'], encoded['statusCode']]).toEqual([202, 202]);
    expect(JSON.parse(String(encoded['body']))).toMatchObject({
      run_id: JSON.parse(String(plain['body'])).run_id,
    });
    const location = `/runs/${JSON.parse(String(plain['body'])).run_id}`;
    expect(plain).toMatchObject({
      headers: { location, 'content-type': 'application/json', 'cache-control': 'no-store' },
      isBase64Encoded: false,
    });

    const noUtf8 = { body: Buffer.of(0x22, 0xff, 0x22).toString('base64'), isBase64Encoded: true };
    expect(await api({ ...request('POST', '/agents/top/runs'), ...noUtf8 })).toMatchObject({
      statusCode: 400,
      headers: { 'content-type': 'application/problem+json' },
      body: expect.stringContaining('the body must be JSON in UTF-8'),
      isBase64Encoded: false,
    });
    const page = { ...request('GET', '/runs'), rawQueryString: 'limit=1&after=%20x' };
    expect(await api(page)).toMatchObject({
      statusCode: 400,
      body: expect.stringContaining('after must be the `next` of another page'),
    });
    expect(await api({ ...page, rawQueryString: 'limit=0' })).toMatchObject({
      statusCode: 400,
      body: expect.stringContaining('limit must be a whole number'),
    });
    expect(await api(request('GET', '/agents/%2e%2e'))).toMatchObject({ statusCode: 404 });
    expect(await api(request('GET', '/health'))).toMatchObject({
      statusCode: 200,
      body: expect.stringMatching(/^\{"ok":true,"version":"\d/),
    });
  });

  test('have a person try again whose message no function could be called for', async () => {
    recordLog();
    const throttled = { 'x-amzn-errortype': 'TooManyRequestsException' };
    const { url } = await lambdaThat(answers(429, throttled, '{"message":"Rate exceeded"}'));
    const variables = { AWS_ENDPOINT_URL_LAMBDA: url, AWS_MAX_ATTEMPTS: '1', CADRE_CONTROL: 'control' };
    const api = await cold('api', variables);
    const started = await api(request('POST', '/agents/top/runs', { prompt: 'go' }));
    const { run_id: run } = JSON.parse(String(started['body']));
    expect(await api(request('POST', `/runs/${run}/messages`, { text: 'and then?' }))).toMatchObject({
      statusCode: 503,
      body: expect.stringContaining('a service is throttled or does not answer: try again later'),
    });
  });
});
