import { describe, expect, test } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };
import { assertContext } from '../../infra/assert-context.ts';
import { environmentOf } from '../../infra/written-environments.ts';

const { environments } = cdk.context;

/** The texts that none of them contains. */
const UNSAID = { accessLogs: false, apiModels: [], console: false, providers: {}, sandboxVpc: false };

describe('the settings of an environment', () => {
  test.each(Object.entries(environments))('are as cdk.json has them: %s', (name, settings) => {
    expect(environmentOf(name, environments)).toEqual({ environment: name, ...settings, ...UNSAID });
  });

  test('have defaults where nothing is written', () => {
    expect(environmentOf('live', { live: { alarms: 'none' } })).toEqual({
      environment: 'live',
      alarms: 'none',
      alarmEmail: '',
      ...UNSAID,
      retainData: true,
      runDays: 90,
      logRetention: 30,
      logLevel: 'info',
      turnConcurrency: 0,
      apiConcurrency: 0,
      dashboard: false,
      doors: false,
      verify: false,
    });
  });

  test.each([
    ['true or false', 'retainData accessLogs dashboard verify doors console sandboxVpc'],
    ['true or false', 'providers.acme.strictRoles'],
    ['a whole number', 'runDays turnConcurrency apiConcurrency watchConcurrency'],
    ['a string', 'prefix alarmEmail ask.notify tableName bucketName kmsKeyArn serve.a2a apiModels.0'],
    ['a string', 'jwt.issuer jwt.clientId providers.acme.apiVersion webSearch.apiKey'],
    ['a string', 'jwt.audience.0 jwt.scopes.0 jwt.answerScopes.0 jwt.budgetScopes.0 jwt.adminScopes.0'],
    [
      'a list of strings',
      'apiModels jwt.audience jwt.scopes jwt.answerScopes jwt.budgetScopes jwt.adminScopes',
    ],
    ['dollars', 'limits.usdPerDay limits.usdPerOwnerPerDay'],
    ['a share', 'rollout.next'],
    ['a folder', 'rollout.folder'],
    ['seconds', 'providers.acme.idleTimeout'],
    ['a URL', 'providers.acme.baseUrl webSearch.url'],
    ['"none"', 'alarms'],
  ])('are refused where one is not %s: %s', (wanted, paths) => {
    const others: Record<string, object> = {
      jwt: { issuer: 'https://login.example.org', audience: ['a'] },
      rollout: { next: 0 },
      webSearch: { provider: 'searxng', url: 'https://search.example.org' },
    };
    for (const path of paths.split(' ')) {
      const [key = '', ...inside] = path.split('.');
      const wrong = inside.reduceRight<unknown>(
        (value, part) => (part === '0' ? [value] : { [part]: value }),
        null,
      );
      const isTable = inside.length > 0 && !Array.isArray(wrong);
      const dev = { [key]: isTable ? { ...others[key], ...Object(wrong) } : wrong };
      expect(() => environmentOf('dev', { dev })).toThrow(
        `cdk.json, environments.dev.${path}: expected ${wanted}, got null`,
      );
    }
  });

  test.each([{}, { retainData: true }, { retainData: true, alarmEmail: '' }])(
    'are refused where data are kept and nobody is told of alarms, unless that is meant: %o',
    (settings) => {
      expect(() => environmentOf('live', { live: settings })).toThrow(
        'cdk.json, environments.live: it keeps its data and tells nobody when it fails: set "alarmEmail" to an address, or say that this is meant with "alarms": "none"',
      );
      for (const change of [{ alarms: 'none' }, { alarmEmail: 'a@b.example' }, { retainData: false }]) {
        expect(environmentOf('live', { live: { ...settings, ...change } })).toMatchObject(change);
      }
    },
  );

  test.each([
    ['xyz', 'unknown environment "xyz": cdk.json knows dev, staging, prod'],
    ['toString', 'unknown environment "toString": cdk.json knows dev, staging, prod'],
    ['', 'no environment is chosen: add -c env=<name>, one of dev, staging, prod'],
    [undefined, 'no environment is chosen: add -c env=<name>, one of dev, staging, prod'],
  ])('are refused for %o with the list of known ones', (name, message) => {
    expect(() => environmentOf(name, environments)).toThrow(message);
  });

  test.each(['Dev', 'x'.repeat(33), '1st', 'a_b'])(
    'are refused for a name that cannot be a part of others: %s',
    (name) => {
      expect(() => environmentOf(name, { [name]: environments.dev })).toThrow(
        `invalid environment name "${name}": use at most 32 lower-case letters, digits and "-", a letter first`,
      );
    },
  );

  test.each([
    [{ logRetention: 9999 }, 'cdk.json, environments.dev.logRetention: expected one of 1, 3, 5, 7, 14,'],
    [{ logRetention: 15 }, 'cdk.json, environments.dev.logRetention: expected one of 1, 3, 5, 7, 14,'],
    [{ logLevel: 'loud' }, 'cdk.json, environments.dev.logLevel: expected one of info, debug, got "loud"'],
    [
      { apiModels: ['gpt'] },
      'cdk.json, environments.dev.apiModels.0: expected provider/model-name, got "gpt"',
    ],
    [
      { providers: { acme: { protocol: 'grpc' } } },
      'cdk.json, environments.dev.providers.acme.protocol: expected one of openai, got "grpc"',
    ],
    [
      { providers: { acme: { baseUrl: 'acme.example' } } },
      'cdk.json, environments.dev.providers.acme.baseUrl: expected an http or https URL, got "acme.example"',
    ],
    [
      { providers: { acme: { idleTimeout: 86_401 } } },
      'cdk.json, environments.dev.providers.acme.idleTimeout: expected at most 86400, got 86401',
    ],
    [
      { providers: { acme: { apiKey: 'secret' } } },
      'cdk.json, environments.dev.providers.acme.apiKey: unknown key, known here: protocol, baseUrl, strictRoles, idleTimeout, apiVersion',
    ],
    [{ alarms: 'some' }, 'cdk.json, environments.dev.alarms: expected "none", got "some"'],
    [{ runDays: 0 }, 'cdk.json, environments.dev.runDays: expected at least 1, got 0'],
    [{ turnConcurrency: -1 }, 'cdk.json, environments.dev.turnConcurrency: expected at least 0, got -1'],
    [{ apiConcurrency: 0.5 }, 'cdk.json, environments.dev.apiConcurrency: expected a whole number, got 0.5'],
    [
      { kmsKeyArn: 'alias/mine' },
      `cdk.json, environments.dev.kmsKeyArn: expected a key's ARN, got "alias/mine"`,
    ],
    [
      { ask: { notify: 'nobody' } },
      `cdk.json, environments.dev.ask.notify: expected an e-mail address or a topic's ARN, got "nobody"`,
    ],
    [{ retaindata: true }, 'cdk.json, environments.dev.retaindata: unknown key, did you mean "retainData"?'],
    [
      { jwt: { issuer: 'https://login.example.org', audience: [], scope: ['cadre/run'] } },
      'cdk.json, environments.dev.jwt.scope: unknown key, did you mean "jwt.scopes"?',
    ],
    [
      { jwt: { issuer: 'https://login.example.org' } },
      'cdk.json, environments.dev.jwt.audience: expected a value, got undefined',
    ],
  ])('with %o name key, value and what it takes', (change, message) => {
    expect(() => environmentOf('dev', { dev: { ...environments.dev, ...change } })).toThrow(message);
  });
});

/** What has to be beside other settings. */
const BESIDE: Record<string, object> = {
  jwt: { issuer: 'https://login.example.org', audience: [] },
  webSearch: { provider: 'tavily' },
  rollout: { next: 0 },
};

/** The fault of an environment with a setting, by its path; 0 is the first of a list. */
function faultWith(path: string, value: unknown): () => void {
  const [name = '', ...below] = path.split('.');
  const within = below.reduceRight<unknown>(
    (inner, key) => (key === '0' ? [inner] : { [key]: inner }),
    value,
  );
  const isAmong = typeof within === 'object' && !Array.isArray(within);
  const change = { [name]: isAmong ? { ...BESIDE[name], ...within } : within };
  return () => environmentOf('dev', { dev: { ...environments.dev, ...change } });
}

test.each<[what: string, other: unknown, paths: string[]]>([
  ['a string', 7, ['prefix', 'alarmEmail', 'ask.notify', 'apiModels.0', 'serve.a2a']],
  [
    'a string',
    7,
    ['providers.acme.apiVersion', 'webSearch.apiKey', 'jwt.issuer', 'jwt.clientId', 'jwt.audience.0'],
  ],
  ['a string', 7, ['scopes', 'answerScopes', 'budgetScopes', 'adminScopes'].map((name) => `jwt.${name}.0`)],
  [
    'a list of strings',
    7,
    ['apiModels', 'jwt.audience', 'jwt.scopes', 'jwt.answerScopes', 'jwt.budgetScopes'],
  ],
  ['a list of strings', 7, ['jwt.adminScopes']],
  ['true or false', 7, ['retainData', 'accessLogs', 'dashboard', 'verify', 'doors', 'console', 'sandboxVpc']],
  ['true or false', 7, ['providers.acme.strictRoles']],
  ['a URL', 7, ['providers.acme.baseUrl', 'webSearch.url']],
  ['a folder', 7, ['rollout.folder']],
  ['a whole number', 'x', ['runDays', 'turnConcurrency', 'apiConcurrency', 'watchConcurrency']],
  ['seconds', 'x', ['providers.acme.idleTimeout']],
  ['dollars', 'x', ['limits.usdPerDay', 'limits.usdPerOwnerPerDay']],
  ['a share', 'x', ['rollout.next']],
])('a setting is %s, and says so where it is %j: %j', (what, other, paths) => {
  for (const path of paths) {
    const got = JSON.stringify(other);
    expect(faultWith(path, other)).toThrow(
      `cdk.json, environments.dev.${path}: expected ${what}, got ${got}`,
    );
  }
});

describe('a key of the context', () => {
  const appWith = (more: object) => ({ node: { getAllContext: () => ({ ...cdk.context, ...more }) } });

  test.each([
    ['enviroments', 'environments'],
    ['environment', 'environments'],
    ['localAgent', 'localAgents'],
    ['local_agents', 'localAgents'],
    ['LocalAgents', 'localAgents'],
  ])('%s is refused with the one that is meant: %s', (key, meant) => {
    expect(() => assertContext(appWith({ [key]: {} }))).toThrow(
      `cdk.json, context: unknown key "${key}", did you mean "${meant}"?`,
    );
  });

  test('of CDK or of others is none of our concern', () => {
    const foreign = {
      'aws:cdk:enable-path-metadata': true,
      'availability-zones:x': [],
      team: 'shop',
      stage: 'a',
    };
    expect(() => assertContext(appWith({ env: 'dev', ...foreign }))).not.toThrow();
  });
});
