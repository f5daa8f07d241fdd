import { randomUUID } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import * as v from 'valibot';
import { readStreamed } from '../fixtures/http-integration-response.ts';
import type { Lambda } from '../fixtures/lambda-runtime.ts';
import { bodyOf, serveOnLoopback, type LoopbackServer } from '../fixtures/loopback.ts';
import { isSigned } from './signature.ts';
import type { Stack } from './stack.ts';

const Url = v.object({
  AuthType: v.literal('AWS_IAM'),
  InvokeMode: v.literal('RESPONSE_STREAM'),
  TargetFunctionArn: v.string(),
});

/** Lambda's address for the one function of a stack that has one, if any: it hands on what the function streams as it comes. */
export function serveFunctionUrl(stack: Stack, lambda: Lambda): Promise<LoopbackServer> {
  const [url] = stack.resources('AWS::Lambda::Url');
  if (url === undefined) return serveOnLoopback((_, response) => response.writeHead(404).end());
  const { TargetFunctionArn: arn } = v.parse(Url, url);
  return serveOnLoopback(async (request, response) => {
    const bytes = await bodyOf(request);
    if (!isSigned(request, bytes, 'lambda')) {
      response.writeHead(403, {
        'content-type': 'application/json',
        'x-amzn-errortype': 'AccessDeniedException',
      });
      return void response.end('{"Message":"Forbidden"}');
    }
    const { pathname, search, hostname } = new URL(request.url ?? '', 'https://doors.example.org');
    const now = new Date();
    const event = {
      version: '2.0',
      routeKey: '$default',
      rawPath: pathname,
      rawQueryString: search.slice(1),
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      ),
      requestContext: {
        accountId: 'anonymous',
        apiId: 'a1b2c3d4e5f6',
        domainName: hostname,
        domainPrefix: 'a1b2c3d4e5f6',
        http: {
          method: request.method,
          path: pathname,
          protocol: 'HTTP/1.1',
          sourceIp: '203.0.113.7',
          userAgent: 'test',
        },
        requestId: randomUUID(),
        routeKey: '$default',
        stage: '$default',
        time: now.toISOString(),
        timeEpoch: now.getTime(),
      },
      ...(bytes.length > 0 && { body: bytes.toString('base64') }),
      isBase64Encoded: bytes.length > 0,
    };
    const streamed = lambda.invokeStreaming(arn, JSON.stringify(event));
    const { statusCode, headers, body } = await readStreamed(streamed);
    response.writeHead(statusCode, headers).flushHeaders();
    await pipeline(body, response).catch(() => {}); // the client has left
  });
}
