import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { hashOf } from '../../../src/core/attachments/to-attachment.ts';
import { startEnvironmentServer } from '../../../src/doors/api/environment-server.ts';
import { accessTo } from '../../../src/doors/api/local-access.ts';
import { createSendSigned } from '../../../src/places/aws/cloud-requests.ts';
import { bodyOf, serveOnLoopback } from '../../fixtures/loopback.ts';
import { png } from '../../fixtures/images.ts';
import { latch } from '../../fixtures/stage.ts';
import { isSigned } from '../../rehearsal/signature.ts';
import { REGION } from '../../rehearsal/stack.ts';

const chart = png(40, 30);

afterEach(() => void vi.unstubAllEnvs());

/** The request to the environment's API, and whether the signature was right. */
interface Asked {
  request: string;
  isSigned: boolean;
  body: string;
  headers: IncomingMessage['headers'];
}

type Api = (response: ServerResponse, request: IncomingMessage) => void;
const says =
  (status: number, body: string, headers: Record<string, string> = {}): Api =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);

/** An environment's server before an API that answers in this way. */
async function serveEnvironment(
  api: Api,
  { key = 'test', token, hasDoors }: { key?: string; token?: string; hasDoors?: boolean } = {},
): Promise<{ url: string; asked: Asked[]; told: string[] }> {
  const credentials = { AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: key, AWS_SESSION_TOKEN: '' };
  const elsewhere = { AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' };
  const none = { AWS_EC2_METADATA_DISABLED: 'true', AWS_PROFILE: '' };
  for (const [name, value] of Object.entries({ ...credentials, ...elsewhere, ...none })) {
    vi.stubEnv(name, value);
  }
  const asked: Asked[] = [];
  const upstream = await serveOnLoopback(async (incoming, response) => {
    const bytes = await bodyOf(incoming);
    const { method, url, headers } = incoming;
    asked.push({
      request: `${method} ${url}`,
      isSigned: isSigned(incoming, bytes, hasDoors ? 'lambda' : 'execute-api'),
      body: String(bytes),
      headers,
    });
    api(response, incoming);
  });
  onTestFinished(upstream.close);
  const told: string[] = [];
  const server = await startEnvironmentServer({
    environment: 'dev',
    api: {
      service: 'API Gateway',
      permissions: 'execute-api:Invoke on the API',
      isRepeatable: true,
      url: upstream.endpoint,
      send: createSendSigned('execute-api', REGION),
    },
    doors: hasDoors
      ? {
          service: 'Lambda',
          permissions: 'lambda:InvokeFunctionUrl on the doors',
          isRepeatable: false,
          url: `${upstream.endpoint}/`,
          send: createSendSigned('lambda', REGION),
        }
      : undefined,
    access: await accessTo('127.0.0.1', token),
    port: 0,
    now: Date.now,
    tell: (line) => void told.push(line),
  });
  onTestFinished(server.close);
  return { url: server.url, asked, told };
}

/** `fetch` sets some headers itself. */
async function send(
  url: string,
  {
    method = 'GET',
    headers = {},
    body = '',
  }: { method?: string; headers?: Record<string, string>; body?: string },
) {
  const asking = request(url, { method, headers }).end(body);
  const [response]: [IncomingMessage] = await once(asking, 'response').then(([each]) => [each]);
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

test('requests are signed as the user and sent on, without what browsers add', async () => {
  const { url, asked } = await serveEnvironment(says(202, '{"run_id":"r"}', { location: '/runs/r' }), {
    token: 'a-token-of-our-own',
  });
  const body = '{"prompt":"größer?"}';
  const answer = await send(`${url}/agents/top/runs?wait=5&b=2&a=1%202`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'idempotency-key': 'once',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      authorization: 'Bearer a-token-of-our-own',
      cookie: 'of=others',
      origin: url,
      'x-forwarded-for': '10.0.0.1',
      'x-amz-security-token': 'forged',
    },
  });
  expect(answer).toMatchObject({ status: 202, body: '{"run_id":"r"}', headers: { location: '/runs/r' } });
  expect(asked).toMatchObject([
    { request: 'POST /agents/top/runs?wait=5&b=2&a=1%202', isSigned: true, body },
  ]);
  const sent = asked[0]?.headers ?? {};
  expect(sent).toMatchObject({
    'content-type': 'application/json',
    'idempotency-key': 'once',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  });
  expect(sent.authorization).toMatch(/^AWS4-HMAC-SHA256 /);
  for (const name of ['cookie', 'origin', 'x-forwarded-for', 'x-amz-security-token']) {
    expect(sent).not.toHaveProperty(name);
  }
});

test('a path outside the API is not signed, wherever it leads', async () => {
  const { url, asked } = await serveEnvironment(says(200, '{}'));
  const paths = ['/v1/models', '/mcp', '/answers/x', '//evil.example/agents', '/runs/a/b/c', '/agents/../x'];
  for (const path of paths) expect((await send(url + path, {})).status).toBe(404);
  expect((await send(`${url}/runs/r`, { method: 'DELETE' })).status).toBe(404);
  expect(asked).toEqual([]);
  await send(`${url}/runs/%2F%2Fevil.example`, {});
  expect(asked.map((each) => each.request)).toEqual(['GET /runs/%2F%2Fevil.example']);
});

test('pages of other sites get nothing signed', async () => {
  const { url, asked } = await serveEnvironment(says(200, '{}'));
  const { host, port } = new URL(url);
  const foreign: Record<string, string>[] = [
    { host: `evil.example:${port}` },
    { host, origin: 'http://evil.example' },
    { host, 'sec-fetch-site': 'cross-site' },
  ];
  for (const headers of foreign) expect((await send(`${url}/runs`, { headers })).status).toBe(403);
  expect(asked).toEqual([]);
  const own = { host, origin: url, 'sec-fetch-site': 'same-origin' };
  expect((await send(`${url}/runs`, { headers: own })).status).toBe(200);
});

test('events arrive as they come, and their client says where it was', async () => {
  let go = () => {};
  const { url, asked } = await serveEnvironment((response) => {
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      connection: 'keep-alive, x-secret',
      'x-secret': 'of one hop',
    });
    response.write('id: 1\ndata: {}\n\n');
    go = () => response.end('id: 2\ndata: {}\n\n');
  });
  const response = await fetch(`${url}/runs/r/events`, { headers: { 'last-event-id': '0' } });
  expect(asked[0]?.headers['last-event-id']).toBe('0');
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.has('x-secret')).toBe(false);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toBe('id: 1\ndata: {}\n\n');
  go();
  expect((await reader?.read())?.value).toBe('id: 2\ndata: {}\n\n');
});

test('events that break off end, so that their client comes back for the rest', async () => {
  const { url } = await serveEnvironment((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('id: 1\ndata: {}\n\n', () => response.destroy());
  });
  expect(await send(`${url}/runs/r/events`, {})).toMatchObject({ status: 200, body: 'id: 1\ndata: {}\n\n' });
});

test('a client that leaves ends its request to the environment, too', async () => {
  const left = latch();
  const gone: string[] = [];
  const { url } = await serveEnvironment((response, { url: asked = '' }) => {
    response.on('close', () => {
      gone.push(asked);
      left.open();
    });
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
  });
  const leaving = new AbortController();
  await fetch(`${url}/runs/r/events`, { signal: leaving.signal });
  leaving.abort();
  await left.opened;
  expect(gone).toEqual(['/runs/r/events']);
});

const FORBIDDEN =
  'API Gateway answered 403: Forbidden; check your credentials, and that they have execute-api:Invoke on the API of environment "dev"';

test.each<[string, Api, number, string]>([
  ['refuses', says(403, '{"message":"Forbidden"}'), 403, FORBIDDEN],
  [
    'has too much to do',
    says(429, '{"message":"Too Many Requests"}'),
    502,
    'API Gateway answered 429: Too Many Requests',
  ],
  [
    'answers with a page',
    says(503, '<html>', { 'content-type': 'text/html' }),
    502,
    'API Gateway answered 503: <html>',
  ],
  [
    'finds a problem itself',
    says(404, '{"status":404,"detail":"there is no run \\"r\\""}', {
      'content-type': 'application/problem+json',
    }),
    404,
    'there is no run "r"',
  ],
])('an environment that %s is told of as a problem', async (_, api, status, detail) => {
  const { url } = await serveEnvironment(api);
  const answer = await send(`${url}/runs/r`, {});
  expect(answer.headers['content-type']).toBe('application/problem+json');
  expect([answer.status, JSON.parse(answer.body)]).toMatchObject([status, { detail }]);
});

test('credentials that are gone are told of, with what to do', async () => {
  const { url, asked } = await serveEnvironment(says(200, '{}'), { key: '' });
  const answer = await send(`${url}/runs`, {});
  expect([answer.status, JSON.parse(answer.body)]).toMatchObject([
    502,
    {
      detail: expect.stringMatching(
        /^cannot ask http:\/\/127\.0\.0\.1:\d+: access denied \(CredentialsProviderError: .+\): check the credentials/,
      ),
    },
  ]);
  expect(asked).toEqual([]);
});

test('an API that cannot be reached is told of', async () => {
  const { url } = await serveEnvironment((response) => void response.destroy());
  const answer = await send(`${url}/runs`, {});
  expect([answer.status, JSON.parse(answer.body)]).toMatchObject([
    502,
    { detail: expect.stringMatching(/^cannot ask .+: no answer \(.+\): check the network/) },
  ]);
});

test('the doors for clients of OpenAI, MCP and AG-UI are asked with signatures for Lambda', async () => {
  const refusal = '{"error":{"message":"no such agent","type":"x","param":null,"code":null}}';
  const { url, asked } = await serveEnvironment(says(404, refusal), { hasDoors: true });
  const headers = {
    'content-type': 'application/json',
    'mcp-protocol-version': '2026-07-28',
    authorization: 'Bearer key-of-openai',
  };
  const paths = ['/v1/chat/completions', '/mcp', '/agents/top/ag-ui'];
  for (const path of paths) {
    const answer = await send(`${url}${path}`, { method: 'POST', headers, body: '{"a":"b"}' });
    expect([answer.status, answer.body]).toEqual([404, refusal]);
  }
  expect(asked).toMatchObject(
    paths.map((path) => ({
      request: `POST ${path}`,
      isSigned: true,
      body: '{"a":"b"}',
      headers: { 'mcp-protocol-version': '2026-07-28' },
    })),
  );
});

test('an error in front of the doors is nothing that a client of OpenAI repeats', async () => {
  const ask = async (api: Api) => {
    const { url } = await serveEnvironment(api, { hasDoors: true });
    const { status, body } = await send(`${url}/v1/models`, {});
    return [status, JSON.parse(body).error.message];
  };
  expect(await ask(says(502, 'Internal Server Error'))).toEqual([
    422,
    'Lambda answered 502: Internal Server Error',
  ]);
  expect(await ask(says(403, '{"Message":"Forbidden"}'))).toEqual([
    403,
    'Lambda answered 403: Forbidden; check your credentials, and that they have lambda:InvokeFunctionUrl on the doors of environment "dev"',
  ]);
  expect(await ask((response) => void response.destroy())).toEqual([
    422,
    expect.stringMatching(/^cannot ask .+: no answer/),
  ]);
});

test('an environment without doors says what to set', async () => {
  const { url, asked } = await serveEnvironment(says(200, '{}'));
  const { status, body } = await send(`${url}/v1/models`, {});
  expect([status, JSON.parse(body).error.message]).toEqual([
    404,
    'environment "dev" has no /v1/models: set "doors": true among its settings, and deploy it',
  ]);
  expect(asked).toEqual([]);
});

test('no client beyond this machine gets anything signed', async () => {
  const starting = startEnvironmentServer({
    environment: 'dev',
    api: {
      service: 'API Gateway',
      permissions: 'execute-api:Invoke on the API',
      isRepeatable: true,
      url: 'http://127.0.0.1:1',
      send: () => Promise.reject(new Error('nothing is sent')),
    },
    access: await accessTo('0.0.0.0', 'a-token-of-our-own'),
    port: 0,
    now: Date.now,
    tell: () => {},
  });
  await expect(starting).rejects.toMatchObject({
    name: 'ConfigError',
    message:
      'requests are signed with your credentials, so only this machine may send them: omit --host 0.0.0.0',
  });
});

test('files pass through to a bucket, and from it, which the page may not ask itself', async () => {
  const hash = hashOf(chart);
  const puts: object[] = [];
  const bucket = await serveOnLoopback(async (incoming, response) => {
    const bytes = await bodyOf(incoming);
    const { method, url: path, headers } = incoming;
    if (method === 'PUT')
      puts.push({ path, bytes, sum: headers['x-amz-checksum-sha256'], auth: headers.authorization });
    // It is there the second time.
    const status = method === 'PUT' && puts.length > 1 ? 412 : 200;
    response.writeHead(status, { 'content-type': 'image/png', 'x-amz-request-id': '1' });
    response.end(method === 'GET' ? chart : '');
  });
  onTestFinished(bucket.close);
  const place = {
    hash,
    url: `${bucket.endpoint}/put?X-Amz-Signature=s`,
    headers: { 'x-amz-checksum-sha256': 'sum' },
  };
  const { url, asked } = await serveEnvironment((response, incoming) =>
    incoming.method === 'POST'
      ? says(201, JSON.stringify(place))(response, incoming)
      : says(302, '', { location: `${bucket.endpoint}/get?X-Amz-Signature=s` })(response, incoming),
  );
  const at = `${url}/attachments/${hash}`;
  const put = async (bytes: Buffer) =>
    (await fetch(at, { method: 'PUT', body: new Uint8Array(bytes) })).status;
  expect(await put(chart)).toBe(404);
  for (const _ of [1, 2]) {
    const json = { 'content-type': 'application/json' };
    const body = JSON.stringify({ hash, bytes: chart.length });
    const placed = await fetch(`${url}/attachments`, { method: 'POST', headers: json, body });
    expect([placed.status, await placed.json()]).toEqual([201, { hash, url: at, headers: {} }]);
    expect(await put(png(2, 2))).toBe(400);
    expect(await put(chart)).toBe(204);
  }
  const left = { path: '/put?X-Amz-Signature=s', bytes: chart, sum: 'sum', auth: undefined };
  expect(puts).toEqual([left, left]);
  const read = await fetch(`${url}/runs/r/attachments/${hash}`);
  expect(Buffer.from(await read.arrayBuffer())).toEqual(chart);
  expect(Object.fromEntries(read.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-security-policy': "default-src 'none'; sandbox",
    'content-disposition': 'inline',
  });
  expect(read.headers.get('x-amz-request-id')).toBeNull();
  expect(asked.map(({ request: each, isSigned: by }) => [each, by])).toEqual([
    ['POST /attachments', true],
    ['POST /attachments', true],
    [`GET /runs/r/attachments/${hash}`, true],
  ]);
});

test('a bucket that cannot be reached is told as such', async () => {
  const hash = hashOf(chart);
  const gone = await serveOnLoopback(() => {});
  await gone.close();
  const address = `${gone.endpoint}/file`;
  const place = JSON.stringify({ hash, url: address, headers: {} });
  const { url } = await serveEnvironment((response, incoming) =>
    (incoming.method === 'POST' ? says(201, place) : says(302, '', { location: address }))(
      response,
      incoming,
    ),
  );
  const json = { 'content-type': 'application/json' };
  await fetch(`${url}/attachments`, { method: 'POST', headers: json, body: '{}' });
  const told = async (path: string, init?: RequestInit) => {
    const response = await fetch(url + path, init);
    return [response.status, await response.text()];
  };
  const refused = [502, expect.stringContaining('the bucket cannot be reached: ')];
  const put = { method: 'PUT', body: new Uint8Array(chart) };
  expect(await told(`/attachments/${hash}`, put)).toEqual(refused);
  expect(await told(`/runs/r/attachments/${hash}`)).toEqual(refused);
});

test('the card of an agent sends those who find it here to this address, where what they say is signed', async () => {
  const there = 'https://x.lambda-url.eu-central-1.on.aws';
  const card = (origin: string) => ({
    name: 'top',
    description: 'https://example.org/a2a/',
    provider: { url: 'https://example.org' },
    supportedInterfaces: [{ url: `${origin}/a2a/top`, protocolBinding: 'JSONRPC' }],
    url: `${origin}/a2a/top`,
  });
  const { url } = await serveEnvironment(says(200, JSON.stringify(card(there)), { vary: 'a2a-version' }), {
    hasDoors: true,
  });
  for (const path of ['/.well-known/agent-card.json', '/a2a/top/.well-known/agent-card.json']) {
    const response = await fetch(url + path);
    expect([response.headers.get('vary'), await response.json()]).toEqual(['a2a-version', card(url)]);
    expect((await fetch(`${url}${path}`, { method: 'HEAD' })).status).toBe(200);
  }
});
