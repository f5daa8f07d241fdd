import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { Lambda } from '../fixtures/lambda-runtime.ts';
import { bodyOf, serveOnLoopback, type LoopbackServer } from '../fixtures/loopback.ts';
import { isSigned } from './signature.ts';
import { ACCOUNT, type Stack } from './stack.ts';

const Route = v.object({
  RouteKey: v.string(),
  Target: v.string(),
  AuthorizationType: v.picklist(['AWS_IAM', 'JWT', 'NONE']),
});
const Integration = v.object({
  IntegrationType: v.literal('AWS_PROXY'),
  IntegrationUri: v.string(),
  PayloadFormatVersion: v.literal('2.0'),
});
const Result = v.object({
  statusCode: v.number(),
  headers: v.record(v.string(), v.string()),
  body: v.string(),
  isBase64Encoded: v.optional(v.boolean(), false),
});

interface Asking {
  /** The IAM user whose signature the request has; without one it is not signed. */
  caller?: string;
  /** The subject of the token that the request has, where the API takes tokens; without one it has none. */
  subject?: string;
  json?: unknown;
  headers?: Record<string, string>;
}

/** An answer as it comes over HTTP. */
interface Answered {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

export interface HttpApi {
  answer(method: string, pathAndQuery: string, asking?: Asking): Promise<Answered>;
  /** The same, read: the text of an event stream, and everything else as JSON. */
  ask(
    method: string,
    pathAndQuery: string,
    asking?: Asking,
  ): Promise<{ status: number; body: Record<string, unknown> }>;
}

/**
 * API Gateway with the routes and integrations of a stack. Whether a signature is right is AWS's to say: here
 * a request has one or has none.
 */
export function openHttpApi(stack: Stack, lambda: Lambda): HttpApi {
  const integrations = stack.named('AWS::ApiGatewayV2::Integration');
  const functions = new Map(
    stack.resources('AWS::ApiGatewayV2::Route').map((route) => {
      const { RouteKey, Target, AuthorizationType } = v.parse(Route, route);
      const integration = integrations.get(Target.replace('integrations/', ''));
      const { IntegrationUri: arn } = v.parse(Integration, integration);
      return [RouteKey, { arn, takes: AuthorizationType }];
    }),
  );
  const routeOf = (method: string, path: string) =>
    [...functions.keys()].find((key) => pathPattern(key).test(`${method} ${path}`)) ?? '$default';

  const answer: HttpApi['answer'] = async (
    method,
    pathAndQuery,
    { caller, subject, json, headers = {} } = {},
  ) => {
    const { pathname, search, hostname } = new URL(pathAndQuery, 'https://api.example.org');
    const routeKey = routeOf(method, pathname);
    const { arn = '', takes } = functions.get(routeKey) ?? {};
    // What an HTTP API answers for a route with authorisation, before anything of ours sees the request.
    const refused = { 'content-type': 'application/json' };
    if (takes === 'AWS_IAM' && caller === undefined)
      return { status: 403, headers: refused, body: Buffer.from('{"message":"Forbidden"}') };
    if (takes === 'JWT' && subject === undefined)
      return { status: 401, headers: refused, body: Buffer.from('{"message":"Unauthorized"}') };
    const now = new Date();
    const event = {
      version: '2.0',
      routeKey,
      rawPath: pathname,
      rawQueryString: search.slice(1),
      headers: {
        host: hostname,
        'x-amz-date': now.toISOString().replaceAll(/[-:]|\.\d+/g, ''),
        'x-forwarded-for': '203.0.113.7',
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      requestContext: {
        accountId: ACCOUNT,
        apiId: 'a1b2c3d4e5',
        authorizer: {
          ...(takes === 'JWT' && { jwt: { claims: { sub: subject, scope: 'openid' }, scopes: null } }),
          ...(takes === 'AWS_IAM' && {
            iam: {
              accessKey: 'AKIAEXAMPLE',
              accountId: ACCOUNT,
              callerId: 'AIDAEXAMPLE',
              cognitoIdentity: null,
              principalOrgId: 'o-example',
              userArn: `arn:aws:iam::${ACCOUNT}:user/${caller}`,
              userId: 'AIDAEXAMPLE',
            },
          }),
        },
        domainName: hostname,
        domainPrefix: 'api',
        http: {
          method,
          path: pathname,
          protocol: 'HTTP/1.1',
          sourceIp: '203.0.113.7',
          userAgent: 'test',
        },
        requestId: randomUUID(),
        routeKey,
        stage: '$default',
        time: now.toISOString(),
        timeEpoch: now.getTime(),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      isBase64Encoded: false,
    };
    const { payload, functionError, isThrottled } = await lambda.invoke(arn, JSON.stringify(event));
    if (isThrottled) {
      const headers = { 'content-type': 'application/json' };
      return { status: 503, headers, body: Buffer.from('{"message":"Service Unavailable"}') };
    }
    if (functionError !== undefined) throw new Error(`the API's function failed: ${payload}`);
    const result = v.parse(Result, JSON.parse(payload));
    if (result.statusCode === 500) throw new Error(`the API failed: ${lambda.log.at(-1)}`);
    const body = Buffer.from(result.body, result.isBase64Encoded ? 'base64' : 'utf8');
    return { status: result.statusCode, headers: result.headers, body };
  };
  return {
    answer,
    async ask(...asking) {
      const { status, headers, body } = await answer(...asking);
      if (headers['content-type'] === 'text/event-stream') return { status, body: { text: String(body) } };
      return { status, body: v.parse(v.record(v.string(), v.unknown()), JSON.parse(String(body))) };
    },
  };
}

/** `POST /runs/{id}`: a parameter is one part of a path. */
function pathPattern(routeKey: string): RegExp {
  return new RegExp(`^${routeKey.replaceAll('$', '\\$').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

/** The same over HTTP: it has a caller where the request is signed. */
export function serveSigned({ answer }: HttpApi): Promise<LoopbackServer> {
  return serveOnLoopback(async (request, response) => {
    const bytes = await bodyOf(request);
    const { 'last-event-id': last } = request.headers;
    const { status, headers, body } = await answer(request.method ?? '', request.url ?? '', {
      ...(isSigned(request, bytes) && { caller: 'ada' }),
      ...(bytes.length > 0 && { json: JSON.parse(String(bytes)) }),
      ...(typeof last === 'string' && { headers: { 'last-event-id': last } }),
    });
    response.writeHead(status, headers).end(body);
  });
}
