import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import type { JwtProps } from '../../infra/environment-props.ts';
import { stageFunctions } from '../../infra/staged-functions.ts';
import { emptyFolder, tempFolder } from '../fixtures/temp-folder.ts';
import { synthesise, type Synthesised } from './synthesise.ts';

const JWT = { issuer: 'https://login.example.org', audience: ['cadre'], scopes: ['cadre/run'] };
const AGENTS = { plain: 'name = "plain"\nmodel = "offline/extractive"\n' };

const deploy = (jwt: JwtProps, page: boolean) =>
  synthesise('dev', { agents: AGENTS, settings: { jwt, console: page } });

const Route = v.object({
  RouteKey: v.string(),
  AuthorizationType: v.string(),
  AuthorizationScopes: v.optional(v.array(v.string())),
});

/** How each route of the API lets requests in. */
function admissions({ resources }: Synthesised): Record<string, string> {
  const routes = [...resources('AWS::ApiGatewayV2::Route').values()].map(({ Properties }) =>
    v.parse(Route, Properties),
  );
  return Object.fromEntries(
    routes.map(({ RouteKey, AuthorizationType, AuthorizationScopes = [] }) => [
      RouteKey,
      [AuthorizationType, ...AuthorizationScopes].join(' '),
    ]),
  );
}

const Handler = v.object({
  FunctionName: v.string(),
  Environment: v.object({ Variables: v.record(v.string(), v.unknown()) }),
});

/** How the API's function is told that people sign in. */
function signIn({ resources }: Synthesised): unknown {
  const handlers = [...resources('AWS::Lambda::Function').values()].flatMap(({ Properties }) => {
    const parsed = v.safeParse(Handler, Properties);
    return parsed.success ? [parsed.output] : [];
  });
  const given = handlers.find(({ FunctionName }) => FunctionName === 'cadre-dev-api')?.Environment.Variables;
  const text = v.parse(v.optional(v.string()), given?.['CADRE_SIGN_IN']);
  return text === undefined ? undefined : JSON.parse(text);
}

test('an environment with a console serves the files of the page to every client, and nothing else', async () => {
  const stack = await deploy(JWT, true);
  expect(admissions(stack)).toMatchObject({
    'GET /': 'NONE',
    'GET /console.js': 'NONE',
    'GET /console.css': 'NONE',
    'GET /console-config.json': 'NONE',
    'GET /chunks/{file}': 'NONE',
    'POST /runs/{id}/questions/{question}/answer': 'JWT cadre/answer',
    'GET /questions': 'JWT cadre/run cadre/answer',
    $default: 'JWT cadre/run',
  });
  expect(Object.values(admissions(stack)).filter((each) => each === 'NONE')).toHaveLength(5);
  expect(signIn(stack)).toEqual({
    environment: 'dev',
    issuer: 'https://login.example.org',
    clientId: 'cadre',
    scope: 'openid cadre/run cadre/answer',
  });
});

test('an environment without one has neither', async () => {
  const stack = await deploy(JWT, false);
  expect(Object.values(admissions(stack))).not.toContain('NONE');
  expect(signIn(stack)).toBe(undefined);
});

test('a client of its own asks for tokens that are for the API', async () => {
  const stack = await deploy({ ...JWT, clientId: 'page', answerScopes: ['cadre/run'] }, true);
  expect(signIn(stack)).toEqual({
    environment: 'dev',
    issuer: 'https://login.example.org',
    clientId: 'page',
    scope: 'openid cadre/run',
    audience: 'cadre',
  });
});

test('a console is refused where requests are signed, which browsers cannot', async () => {
  const refused = synthesise('dev', { agents: AGENTS, settings: { console: true } });
  await expect(refused).rejects.toMatchObject({
    name: 'ConfigError',
    message:
      'environment "dev" has "console": true and no "jwt": browsers sign no requests, so the page needs an issuer where people sign in; without one, show it with: npx cadre serve --env dev',
  });
});

test.each([
  [true, ['console.css', 'console.js', 'index.html']],
  [false, undefined],
])(
  'the page is deployed with the function of the API, and only if it is wanted: %s',
  async (wanted, files) => {
    const folder = await tempFolder({
      'bundles/api/index.mjs': '',
      'bundles/doors/index.mjs': '',
      'bundles/open/index.mjs': '',
      'page/index.html': '',
      'page/console.js': '',
      'page/console.css': '',
      agents: emptyFolder,
    });
    const staged = join(folder, 'staged');
    await stageFunctions(staged, {
      bundles: join(folder, 'bundles'),
      agents: new Map(),
      modules: [],
      agentsFolder: join(folder, 'agents'),
      ...(wanted && { page: join(folder, 'page') }),
    });
    const deployed = readdir(join(staged, 'api/console')).catch(() => undefined);
    expect((await deployed)?.sort()).toEqual(files);
    expect(await readdir(join(staged, 'open'))).not.toContain('console');
  },
);

/** What functions are told of tokens, by the last word of their names. */
function told({ resources }: Synthesised, variable: string): Record<string, unknown> {
  const handlers = [...resources('AWS::Lambda::Function').values()].flatMap(({ Properties }) => {
    const parsed = v.safeParse(Handler, Properties);
    return parsed.success ? [parsed.output] : [];
  });
  return Object.fromEntries(
    handlers.flatMap(({ FunctionName, Environment: { Variables } }) =>
      variable in Variables ? [[FunctionName.replace('cadre-dev-', ''), Variables[variable]]] : [],
    ),
  );
}

test('an environment tells its functions whose tokens it takes, and which scope an administrator has', async () => {
  const [usual, own, none, signed] = await Promise.all([
    deploy(JWT, false),
    deploy({ ...JWT, adminScopes: ['ops/all', 'ops/read'] }, true),
    deploy({ ...JWT, adminScopes: [] }, false),
    synthesise('dev', { agents: AGENTS }),
  ]);
  const issuer = { api: JWT.issuer, open: JWT.issuer, watch: JWT.issuer };
  expect([usual, own, none, signed].map((stack) => told(stack, 'CADRE_ISSUER'))).toEqual([
    issuer,
    issuer,
    issuer,
    {},
  ]);
  expect([usual, own, none, signed].map((stack) => told(stack, 'CADRE_ADMIN_SCOPES'))).toEqual([
    { api: 'cadre/admin', watch: 'cadre/admin' },
    { api: 'ops/all ops/read', watch: 'ops/all ops/read' },
    {},
    {},
  ]);
  expect(signIn(own)).toMatchObject({ scope: 'openid cadre/run cadre/answer ops/all ops/read' });
});
