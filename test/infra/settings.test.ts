import { RemovalPolicy } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import { removalPolicyOf, settingsOf } from '../../infra/environment-settings.ts';
import type { CadreEnvironmentProps } from '../../infra/environment-props.ts';
import { environmentOf } from '../../infra/written-environments.ts';

const written = (settings: object) => environmentOf('dev', { dev: { alarms: 'none', ...settings } });
const given = (props: Partial<CadreEnvironmentProps> = {}) =>
  settingsOf({ environment: 'dev', agentsFolder: '/agents', ...props });

const DEFAULTS = {
  retainData: true,
  runDays: 90,
  logRetention: 30,
  accessLogs: false,
  logLevel: 'info',
  turnConcurrency: 0,
  apiConcurrency: 0,
  alarmEmail: '',
  dashboard: false,
  verify: false,
  apiModels: [],
  providers: {},
  doors: false,
  console: false,
  sandboxVpc: false,
};
const KNOWN =
  'prefix, retainData, runDays, logRetention, accessLogs, logLevel, turnConcurrency, apiConcurrency, watchConcurrency, alarmEmail, alarms, ask, notify, telemetry, limits, rollout, dashboard, verify, apiModels, providers, webSearch, jwt, doors, serve, console, sandboxVpc, tableName, bucketName, kmsKeyArn';
const jwt = { issuer: 'https://login.example.org', audience: ['a'] };

describe('the settings of an environment', () => {
  test('have defaults, as they are written and as they are given', () => {
    expect(written({})).toEqual({ environment: 'dev', alarms: 'none', ...DEFAULTS });
    expect(given()).toEqual({
      environment: 'dev',
      agentsFolder: '/agents',
      ...DEFAULTS,
      name: 'dev',
      stem: 'cadre-dev',
      path: '/cadre/dev',
    });
    expect(given({ prefix: 'shop' })).toMatchObject({
      name: 'shop/dev',
      stem: 'shop-dev',
      path: '/shop/dev',
    });
    expect(written({ rollout: { next: 0.1 } })).toMatchObject({
      rollout: { next: 0.1, folder: 'agents-next' },
    });
  });

  test.each<object>([
    { runDays: 1, turnConcurrency: 0, apiConcurrency: 0, watchConcurrency: 0 },
    { logRetention: 1 },
    { logRetention: 3653 },
    { rollout: { next: 0, folder: 'x' } },
    { rollout: { next: 1, folder: 'x' } },
    { limits: { usdPerDay: 0.000001, usdPerOwnerPerDay: 0.000001 } },
    { providers: { 'acme-2_x': { baseUrl: 'http://acme.example', idleTimeout: 86_400, strictRoles: true } } },
    { providers: { acme: { idleTimeout: 0.001, apiVersion: '2026', protocol: 'openai' } } },
    { webSearch: { provider: 'tavily', apiKey: '${_KEY1}' } },
    { ask: { notify: '' } },
    { ask: { notify: 'a@b' } },
    { ask: { notify: 'arn:aws-cn:sns:cn-north-1:123456789012:to_me-1' } },
    { jwt: { ...jwt, adminScopes: ['cadre/admin'] } },
    { kmsKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/a-1' },
    { tableName: 'mine', bucketName: 'mine' },
    { apiModels: ['a/b/c'] },
  ])('may be at the ends of what is taken: %j', (settings) => {
    expect(written(settings)).toEqual({ environment: 'dev', alarms: 'none', ...DEFAULTS, ...settings });
  });

  test.each<[object, string]>([
    [
      { logRetention: 0 },
      'logRetention: expected one of 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653, got 0',
    ],
    [{ watchConcurrency: -1 }, 'watchConcurrency: expected at least 0, got -1'],
    [{ rollout: { next: 1.01 } }, 'rollout.next: expected from 0 to 1, got 1.01'],
    [{ rollout: { next: -0.01 } }, 'rollout.next: expected from 0 to 1, got -0.01'],
    [{ rollout: { next: 0, folder: '' } }, 'rollout.folder: expected a folder, got ""'],
    [{ rollout: {} }, 'rollout.next: expected a value, got undefined'],
    [{ limits: { usdPerDay: 0 } }, 'limits.usdPerDay: expected at least 0.000001, got 0'],
    [{ limits: { usdPerDay: Infinity } }, 'limits.usdPerDay: expected dollars, got Infinity'],
    [{ limits: { usdPerWeek: 1 } }, 'limits.usdPerWeek: unknown key, did you mean "limits.usdPerDay"?'],
    [{ providers: { acme: { idleTimeout: 0 } } }, 'providers.acme.idleTimeout: expected more than 0, got 0'],
    [{ providers: { 'a b': {} } }, 'providers.a b: expected letters, digits, "-" and "_", got "a b"'],
    [{ providers: { acme: 7 } }, 'providers.acme: expected a value, got 7'],
    [
      { webSearch: { provider: 'x' } },
      'webSearch.provider: expected one of tavily, brave, searxng, model, got "x"',
    ],
    [
      { webSearch: { provider: 'tavily', apiKey: 'secret' } },
      'webSearch.apiKey: expected a secret by its name, such as ${TAVILY_API_KEY}, got "secret"',
    ],
    [
      { webSearch: { provider: 'searxng', url: 'x' } },
      'webSearch.url: expected an http or https URL, got "x"',
    ],
    [
      { webSearch: { provider: 'tavily', baseUrl: 'x' } },
      'webSearch.baseUrl: unknown key, known here: provider, apiKey, url',
    ],
    [{ ask: { notify: 'a b@c' } }, `ask.notify: expected an e-mail address or a topic's ARN, got "a b@c"`],
    [{ jwt: { ...jwt, adminScopes: ['a b'] } }, 'jwt.adminScopes.0: expected a scope, got "a b"'],
    [
      { kmsKeyArn: 'arn:aws:kms:eu-central-1:1:key/a' },
      `kmsKeyArn: expected a key's ARN, got "arn:aws:kms:eu-central-1:1:key/a"`,
    ],
    [{ apiModels: ['a/b,c'] }, 'apiModels.0: expected provider/model-name, got "a/b,c"'],
    [{ environment: 'x' }, `environment: unknown key, known here: ${KNOWN}`],
    [{ agentsFolder: 'x' }, `agentsFolder: unknown key, known here: ${KNOWN}`],
  ])('are refused just beyond that, and say what is taken: %j', (settings, message) => {
    expect(messageOf(() => written(settings))).toBe(`cdk.json, environments.dev.${message}`);
  });

  test.each<[Partial<CadreEnvironmentProps>, string]>([
    [{ runDays: 0 }, 'CadreEnvironment.runDays: expected at least 1, got 0'],
    [
      { localAgents: ['a', JSON.parse('7')] },
      'CadreEnvironment.localAgents.1: expected the name of an agent, got 7',
    ],
    [
      { localAgents: JSON.parse('7') },
      'CadreEnvironment.localAgents: expected a list of the names of agents, got 7',
    ],
    [{ environment: JSON.parse('7') }, 'CadreEnvironment.environment: expected a name such as "dev", got 7'],
    [
      { webSearch: { provider: 'searxng' } },
      'environment "dev", webSearch: searxng has no usual place: set the url of a server',
    ],
    [
      { console: true },
      'environment "dev" has "console": true and no "jwt": browsers sign no requests, so the page needs an issuer where people sign in; without one, show it with: npx cadre serve --env dev',
    ],
  ])('that are given are refused in the same way: %j', (props, message) => {
    expect(messageOf(() => given(props))).toBe(message);
  });

  test('decide over data whose resource goes', () => {
    expect(removalPolicyOf(given())).toBe(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    expect(removalPolicyOf(given({ retainData: false }))).toBe(RemovalPolicy.DESTROY);
  });
});

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
  return 'nothing was refused';
}
