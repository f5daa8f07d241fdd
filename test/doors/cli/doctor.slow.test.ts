import type { IncomingMessage } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { dayAt } from '../../../src/core/records/spent.ts';
import type { Finding } from '../../../src/authoring/doctor/finding.ts';
import { doctor } from '../../../src/doors/cli/commands/doctor.ts';
import { openLocalStore } from '../../../src/places/local/local-store.ts';
import { HAS_BUBBLEWRAP } from '../../fixtures/bubblewrap.ts';
import { bodyOf, serveOnLoopback } from '../../fixtures/loopback.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { aRun, keepRun } from '../../fixtures/records.ts';
import { tempFolder } from '../../fixtures/temp-folder.ts';
import { stubAws } from '../../fixtures/stub-aws.ts';

/** Findings by what they are about: how it is, what was found, and what to do. */
const byWhat = (out: string) =>
  Object.fromEntries(
    JSON.parse(out).map(({ what, state, found, advice }: Finding) => [what, [state, found, advice]]),
  );

describe('a machine and its folder', () => {
  test('are looked at, and each fault says what to do about it', async () => {
    const cwd = await tempFolder({
      'agents/good.toml': 'name = "good"\nmodel = "offline/extractive"\n',
      'agents/keyless.toml': 'name = "keyless"\nmodel = "groq/llama"\n',
      'agents/broken.toml': 'name = "broken"\nmodle = "offline/extractive"\n',
    });
    const local = await openLocalStore(cwd);
    const left = aRun({ status: 'running', execution: 'gone' });
    await keepRun(local.runs, left);
    await local.close();
    const io = recordedIo(cwd);
    expect(await doctor({ json: true }, io)).toBe(1);
    expect(byWhat(io.out)).toMatchObject({
      'Node.js': ['ok', process.versions.node, undefined],
      git: [expect.any(String), expect.any(String), undefined],
      trust: ['ok', 'agents reach this folder alone, and may start servers and modules', undefined],
      bubblewrap: HAS_BUBBLEWRAP
        ? ['ok', 'commands can be isolated', undefined]
        : ['warning', 'does not work', 'commands cannot be isolated: install bubblewrap'],
      'keys in variables': ['ok', 'hidden from what agents start', undefined],
      store: ['warning', 'no process carries 1 tree under way', `cadre resume ${left.id}`],
      agents: [
        'wrong',
        expect.stringContaining('broken.toml:2:1'),
        expect.stringContaining('cadre agents check'),
      ],
      'model groq/llama': ['wrong', 'no key', expect.stringContaining('set GROQ_API_KEY')],
      'model offline/extractive': ['ok', 'answers', undefined],
    });
  });

  test('are told of in a line each, and are in order where nothing is wrong', async () => {
    const io = recordedIo(
      await tempFolder({ 'agents/good.toml': 'name = "good"\nmodel = "offline/extractive"\n' }),
    );
    expect(await doctor({}, io)).toBe(0);
    expect(io.out).toContain('✓ agents: 1 agent\n✓ model offline/extractive: answers\n');
    expect(io.out).toContain('✓ store: no runs in this folder yet\n');
  });
});

describe('a limit per day', () => {
  const config = '[limits]\nusd_per_day = 2\nusd_per_owner_per_day = 1\n';

  test.each([
    [1.5, 0, ['ok', '$1.50 of $2.00 spent or held by agents at work today (UTC)', undefined]],
    [
      1.6,
      0,
      [
        'warning',
        '$1.60 of $2.00 spent or held by agents at work today (UTC)',
        'raise the limit, or see what costs so much: cadre costs',
      ],
    ],
    [
      2,
      1,
      [
        'wrong',
        '$2.00 of $2.00 spent or held by agents at work today (UTC)',
        'no run starts before midnight (UTC): raise the limit',
      ],
    ],
  ])('of which $%d are gone', async (usd, code, finding) => {
    const cwd = await tempFolder({
      'agents/good.toml': 'name = "good"\nmodel = "offline/extractive"\n',
      'config/cadre/config.toml': config,
    });
    const local = await openLocalStore(cwd);
    const shards = await local.runs.dayShards();
    const at = { day: dayAt(Date.now()), scope: 'all', shard: 3 };
    await shards.change(at, () => ({ settled: usd * 1e9, given: {} }));
    await local.close();
    const io = recordedIo(cwd, { env: { XDG_CONFIG_HOME: `${cwd}/config` } });
    expect(await doctor({ json: true }, io)).toBe(code);
    expect(byWhat(io.out)).toMatchObject({ usd_per_day: finding });
  });
});

/** The state of an account, as its services tell of it. */
interface Account {
  version: string;
  pause?: object;
  sweptAgoMs: number;
  letters: number;
  subscriptions: string[];
  keys: Record<string, string>;
  concurrency: number;
  clockMs: number;
  /** How the doors for other clients answer. */
  doorsStatus: number;
  /** Whether the API and the doors take tokens, and no signatures. */
  takesTokens: boolean;
  /** By service, the quotas that Service Quotas knows of the account; undefined: it may not be asked. */
  quotas: Record<string, Record<string, number>> | undefined;
}

const HEALTHY: Account = {
  version: packageJson.version,
  sweptAgoMs: 60_000,
  letters: 0,
  subscriptions: ['arn:aws:sns:eu-central-1:123456789012:alarms:1'],
  keys: { groq: 'gsk-secret' },
  concurrency: 1_000,
  clockMs: 0,
  doorsStatus: 200,
  takesTokens: false,
  quotas: {},
};

async function openAccount(account: Account): Promise<void> {
  const aws = await serveOnLoopback(async (request, response) => {
    const date = new Date(Date.now() + account.clockMs).toUTCString();
    const {
      text,
      type = 'application/x-amz-json-1.0',
      status = 200,
    } = answerTo(request, String(await bodyOf(request)), account);
    response.writeHead(status, { 'content-type': type, date });
    response.end(text);
  });
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await aws.close();
  });
  stubAws({
    AWS_ENDPOINT_URL: aws.endpoint,
  });

  function answerTo(
    { headers, url = '' }: IncomingMessage,
    body: string,
    {
      pause,
      sweptAgoMs,
      letters,
      subscriptions,
      keys,
      concurrency,
      doorsStatus,
      takesTokens,
      quotas,
    }: Account,
  ): { text: string; type?: string; status?: number } {
    const json = (value: unknown) => ({ text: JSON.stringify(value) });
    switch (String(headers['x-amz-target']).replace(/^.*\./, '')) {
      case 'GetParameter':
        return json({ Parameter: { Value: JSON.stringify(deploymentAt(aws.endpoint, account)) } });
      case 'GetItem': {
        const sort = JSON.parse(body).Key.sort.S;
        const swept = { at: new Date(Date.now() - sweptAgoMs).toISOString() };
        const value = sort === 'swept' ? swept : pause && { pause };
        const { partition } = JSON.parse(body).Key;
        if (value === undefined) return json({});
        return json({
          Item: { partition, sort: { S: sort }, value: { S: JSON.stringify(value) }, version: { N: '1' } },
        });
      }
      case 'GetQueueAttributes':
        return json({ Attributes: { ApproximateNumberOfMessages: String(letters) } });
      case 'ListServiceQuotas': {
        if (quotas === undefined) return { ...json({ __type: 'AccessDeniedException' }), status: 400 };
        // One on each page.
        const { ServiceCode, NextToken: page = '0' } = JSON.parse(body);
        const all = Object.entries(quotas[ServiceCode] ?? {});
        const [QuotaName, Value] = all[Number(page)] ?? [];
        return json({
          Quotas: QuotaName === undefined ? [] : [{ QuotaName, Value, Adjustable: true }],
          NextToken: Number(page) + 1 < all.length ? String(Number(page) + 1) : null,
        });
      }
      case 'GetSecretValue':
        return json({ SecretString: JSON.stringify(keys) });
    }
    if (url.includes('account-settings')) {
      const AccountLimit = { ConcurrentExecutions: concurrency, UnreservedConcurrentExecutions: concurrency };
      return json({ AccountLimit });
    }
    if (url === '/health') return { ...json({}), status: takesTokens ? 401 : 200 };
    // Signed for Lambda, unless a token is what counts.
    if (url === '/v1/models') {
      const isSigned = headers.authorization?.includes('/lambda/aws4_request') === true;
      return { ...json({}), status: isSigned === takesTokens ? 403 : doorsStatus };
    }
    const members = subscriptions.map((arn) => `<member><SubscriptionArn>${arn}</SubscriptionArn></member>`);
    const text = `<ListSubscriptionsByTopicResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><ListSubscriptionsByTopicResult><Subscriptions>${members.join('')}</Subscriptions></ListSubscriptionsByTopicResult></ListSubscriptionsByTopicResponse>`;
    return { text, type: 'text/xml' };
  }
}

function deploymentAt(endpoint: string, { version, takesTokens }: Account) {
  return {
    region: 'eu-central-1',
    stateMachineArn: 'arn:aws:states:eu-central-1:123456789012:stateMachine:cadre-prod',
    tableName: 't',
    bucketName: 'b',
    apiUrl: endpoint,
    doorsUrl: endpoint,
    takesSignatures: !takesTokens,
    keepDays: 30,
    upkeep: {
      version,
      deadLettersUrl: `${endpoint}/123456789012/letters`,
      keysSecretArn: 'keys',
      alarmTopicArn: 'arn:aws:sns:eu-central-1:123456789012:alarms',
      pageTopicArn: 'arn:aws:sns:eu-central-1:123456789012:pages',
    },
  };
}

async function examine(account: Partial<Account>, model = 'bedrock/anthropic.claude') {
  await openAccount({ ...HEALTHY, ...account });
  const io = recordedIo(await tempFolder({ 'agents/one.toml': `name = "one"\nmodel = "${model}"\n` }));
  const code = await doctor({ env: 'prod', json: true }, io);
  expect(io.out).not.toContain('gsk-secret');
  return { code, found: byWhat(io.out) };
}

describe('an environment', () => {
  test('that is in order is told so', async () => {
    const { code, found } = await examine({});
    expect(Object.values(found).every(([state]) => state === 'ok')).toBe(true);
    expect([code, found]).toEqual([
      0,
      {
        version: ['ok', packageJson.version, undefined],
        pause: ['ok', 'not paused', undefined],
        sweep: ['ok', expect.stringMatching(/^the last one was at /), undefined],
        functions: [
          'ok',
          '1000 may run at once, 1000 of them unreserved; the widest agent needs 1',
          undefined,
        ],
        'API and clocks': ['ok', expect.stringMatching(/^answers; clocks differ by [0-2] s$/), undefined],
        doors: ['ok', 'answer', undefined],
        'dead letters': ['ok', 'none', undefined],
        alarms: ['ok', '1 subscriber', undefined],
        pages: ['ok', '1 subscriber', undefined],
        keys: ['ok', 'none is needed', undefined],
        'quota StartExecution throttle token bucket size': [
          'ok',
          '800 at once; a tree of "one" starts 1 (as documented for eu-central-1)',
          undefined,
        ],
        'quota StopExecution throttle token bucket size': [
          'ok',
          '250 at once; stopping a tree of "one" takes 1 (as documented for eu-central-1)',
          undefined,
        ],
        'quota StateTransition throttle token refill rate per second': [
          'ok',
          expect.stringMatching(
            /^500 state transitions a second: \d+ trees of "one" may begin each second \(as documented/,
          ),
          undefined,
        ],
        'quota Open executions': [
          'ok',
          '1,000,000 at once; a tree of "one" has 1 (as documented for eu-central-1)',
          undefined,
        ],
        'quota Table-level read throughput limit': ['ok', expect.stringMatching(/^40,000 read/), undefined],
        'quota Table-level write throughput limit': ['ok', expect.stringMatching(/^40,000 write/), undefined],
        'quota Invocations throttle limit': [
          'ok',
          '1,000 a second; 0 schedules may be due at once (as documented for eu-central-1)',
          undefined,
        ],
        'quota Throttle rate': [
          'ok',
          '10,000 requests a second for all APIs; this one takes 50, and more of those who follow runs (as documented for eu-central-1)',
          undefined,
        ],
      },
    ]);
  });

  test.each<[quota: string, service: string, name: string, value: number, found: RegExp]>([
    [
      'StateTransition throttle token refill rate per second',
      'states',
      'StateTransition throttle token refill rate per second',
      3,
      /^3 state transitions a second: 0\.\d trees of "one" may begin each second$/,
    ],
    [
      'StartExecution throttle token bucket size',
      'states',
      'StartExecution throttle token bucket size',
      0,
      /^0 at once/,
    ],
    [
      'Table-level write throughput limit',
      'dynamodb',
      'Table-level write throughput limit',
      5,
      /^5 write units/,
    ],
    ['Throttle rate', 'apigateway', 'Throttle rate', 10, /^10 requests a second for all APIs/],
  ])(
    'whose account has too little of the quota "%s" is told which to raise',
    async (quota, service, name, value, found) => {
      const quotas = { [service]: { 'Something else': 1, [name]: value } };
      const { code, found: findings } = await examine({ quotas });
      expect([code, findings[`quota ${quota}`]]).toEqual([
        0,
        [
          'warning',
          expect.stringMatching(found),
          `ask Service Quotas for an increase of "${quota}" of "${service}"`,
        ],
      ]);
    },
  );

  test('whose quotas may not be asked for is held against what is documented, and told so', async () => {
    const { code, found } = await examine({ quotas: undefined });
    expect([code, found['quotas'], found['quota Open executions']]).toEqual([
      0,
      [
        'warning',
        'Service Quotas answered 400: {"__type":"AccessDeniedException"}',
        expect.stringContaining('allow servicequotas:ListServiceQuotas'),
      ],
      ['ok', expect.stringContaining('as documented for eu-central-1'), undefined],
    ]);
  });

  test.each<[what: string, account: Partial<Account>, finding: unknown[]]>([
    [
      'version',
      { version: '0.0.9' },
      ['warning', `0.0.9 is deployed, and this is ${packageJson.version}`, 'npx cdk deploy -c env=prod'],
    ],
    [
      'pause',
      {
        pause: {
          at: '2026-11-23T03:00:00.000Z',
          by: 'ada',
          reason: 'a drill',
          release: 'cadre unpause --env prod',
        },
      },
      ['wrong', 'paused by ada since 2026-11-23T03:00:00.000Z (a drill)', 'cadre unpause --env prod'],
    ],
    [
      'sweep',
      { sweptAgoMs: 3_600_000 },
      ['wrong', expect.any(String), expect.stringContaining('log of settle')],
    ],
    [
      'functions',
      { concurrency: 0 },
      ['wrong', expect.any(String), expect.stringContaining('Concurrent executions')],
    ],
    ['dead letters', { letters: 3 }, ['wrong', 'about 3', 'cadre dead-letters --env prod']],
    [
      'alarms',
      { subscriptions: [] },
      ['wrong', '0 subscribers', expect.stringContaining('subscribe to arn:')],
    ],
    [
      'pages',
      { subscriptions: ['PendingConfirmation'] },
      ['wrong', '0 subscribers, 1 unconfirmed', expect.stringContaining('confirm')],
    ],
    [
      'API and clocks',
      { clockMs: -600_000 },
      [
        'wrong',
        expect.stringMatching(/^the clock of this machine is (599|600|601) s ahead$/),
        expect.any(String),
      ],
    ],
    [
      'doors',
      { doorsStatus: 429 },
      ['wrong', 'answer 429', expect.stringContaining('a 429 of apiConcurrency')],
    ],
    ['doors', { doorsStatus: 401 }, ['wrong', 'answer 401', expect.stringContaining('see the log of doors')]],
  ])('whose %s is not as it should be says what to do', async (what, account, finding) => {
    const { code, found } = await examine(account);
    expect([code, found[what]]).toEqual([finding[0] === 'wrong' ? 1 : 0, finding]);
  });

  test('that takes tokens is up where it sends away who has none', async () => {
    const { code, found } = await examine({ takesTokens: true, doorsStatus: 401 });
    expect([code, found['doors'], found['API and clocks']?.[0]]).toEqual([
      0,
      ['ok', 'answer', undefined],
      'ok',
    ]);
  });

  test('without the key that an agent needs names its provider, and no key is shown', async () => {
    const { code, found } = await examine({}, 'mistral/large');
    expect([code, found['keys']]).toEqual([
      1,
      ['wrong', 'none for mistral', expect.stringContaining('KeysSecret')],
    ]);
  });
});
