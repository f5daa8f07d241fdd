import type { IncomingMessage } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
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

  test('are looked at although a part of the folder cannot be', async () => {
    const io = recordedIo(
      await tempFolder({
        'agents/good.toml': 'name = "good"\nmodel = "offline/extractive"\n',
        'package.json': { linkTo: 'package.json' },
        '.cadre/store/store.mdb': 'damaged',
      }),
    );
    expect(await doctor({ json: true }, io)).toBe(1);
    expect(byWhat(io.out)).toMatchObject({
      store: ['wrong', expect.stringContaining('damaged or not a store'), undefined],
      agents: ['ok', '1 agent', undefined],
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
  limits?: { usdPerDay: number };
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
        const { Key } = JSON.parse(body);
        const known: Record<string, object | undefined> = {
          swept: { at: new Date(Date.now() - sweptAgoMs).toISOString() },
          pause: pause && { pause },
        };
        const value = known[Key.sort.S];
        if (value === undefined) return json({});
        return json({ Item: { ...Key, value: { S: JSON.stringify(value) }, version: { N: '1' } } });
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

function deploymentAt(endpoint: string, { version, takesTokens, limits }: Account) {
  return {
    region: 'eu-central-1',
    stateMachineArn: 'arn:aws:states:eu-central-1:123456789012:stateMachine:cadre-prod',
    tableName: 't',
    bucketName: 'b',
    apiUrl: endpoint,
    doorsUrl: endpoint,
    takesSignatures: !takesTokens,
    keepDays: 30,
    limits,
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

  test('with too little of each quota is told which to raise', async () => {
    const few = Object.entries({
      states: {
        'StartExecution throttle token bucket size': 0,
        'StopExecution throttle token bucket size': 0,
        'StateTransition throttle token refill rate per second': 3,
        'Open executions': 0,
      },
      dynamodb: { 'Table-level read throughput limit': 5, 'Table-level write throughput limit': 5 },
      scheduler: { 'Invocations throttle limit': -1 },
      apigateway: { 'Throttle rate': 49 },
    });
    const quotas = Object.fromEntries(
      few.map(([service, own]) => [service, { 'Something else': 1, ...own }]),
    );
    const { code, found } = await examine({ quotas });
    const shown = few.flatMap(([service, own]) =>
      Object.keys(own).map((name) => {
        const [state, what, advice] = found[`quota ${name}`] ?? [];
        expect([state, advice]).toEqual([
          'warning',
          `ask Service Quotas for an increase of "${name}" of "${service}"`,
        ]);
        return what;
      }),
    );
    expect([code, shown]).toEqual([
      0,
      [
        '0 at once; a tree of "one" starts 1',
        '0 at once; stopping a tree of "one" takes 1',
        '3 state transitions a second: 0.8 trees of "one" may begin each second',
        '0 at once; a tree of "one" has 1',
        '5 read units a second: 0.4 trees of "one" may begin each second',
        '5 write units a second: 0.3 trees of "one" may begin each second',
        '-1 a second; 0 schedules may be due at once',
        '49 requests a second for all APIs; this one takes 50, and more of those who follow runs',
      ],
    ]);
  });

  test('in which nothing is as it should be says of each what to do', async () => {
    const pause = {
      at: '2026-11-23T03:00:00.000Z',
      by: 'ada',
      reason: 'a drill',
      release: 'cadre unpause --env prod',
    };
    const { code, found } = await examine(
      {
        version: '0.0.9',
        pause,
        sweptAgoMs: 3_600_000,
        concurrency: 0,
        letters: 3,
        subscriptions: ['PendingConfirmation'],
        clockMs: -600_000,
        doorsStatus: 429,
        quotas: undefined,
        limits: { usdPerDay: 1 },
      },
      'mistral/large',
    );
    const others = Object.fromEntries(Object.entries(found).filter(([what]) => !what.startsWith('quota ')));
    const nobody = ['wrong', '0 subscribers, 1 unconfirmed', 'confirm the mail that SNS has sent'];
    expect([code, others, found['quota Open executions']]).toEqual([
      1,
      {
        version: [
          'warning',
          `0.0.9 is deployed, and this is ${packageJson.version}`,
          'npx cdk deploy -c env=prod',
        ],
        pause: [
          'wrong',
          'paused by ada since 2026-11-23T03:00:00.000Z (a drill)',
          'cadre unpause --env prod',
        ],
        sweep: [
          'wrong',
          expect.stringMatching(/^the last one was at 20/),
          'look into the log of settle, and whether the rule of the sweep is on',
        ],
        functions: [
          'wrong',
          '0 may run at once, 0 of them unreserved; the widest agent needs 1',
          'have the quota "Concurrent executions" of Lambda raised; cadre plan says what needs so many',
        ],
        'API and clocks': [
          'wrong',
          expect.stringMatching(/^the clock of this machine is (599|600|601) s ahead$/),
          'set the clock: signatures are refused',
        ],
        doors: [
          'wrong',
          'answer 429',
          'a 403 is a matter of your permissions, a 429 of apiConcurrency; else see the log of doors',
        ],
        'dead letters': ['wrong', 'about 3', 'cadre dead-letters --env prod'],
        alarms: nobody,
        pages: nobody,
        keys: ['wrong', 'none for mistral', 'add it to the secret KeysSecret of environment "prod"'],
        usd_per_day: ['ok', '$0.00 of $1.00 spent or held by agents at work today (UTC)', undefined],
        quotas: [
          'warning',
          'Service Quotas answered 400: {"__type":"AccessDeniedException"}',
          'allow servicequotas:ListServiceQuotas: until then, what is documented for the Region is taken',
        ],
      },
      ['ok', '1,000,000 at once; a tree of "one" has 1 (as documented for eu-central-1)', undefined],
    ]);
  });

  test('whose agents have keys, and which nobody subscribes to', async () => {
    const { code, found } = await examine(
      { subscriptions: [], doorsStatus: 401, keys: { mine: 'k' } },
      'mine/large',
    );
    expect([code, found['alarms'], found['pages'], found['keys'], found['doors']]).toEqual([
      1,
      ['wrong', '0 subscribers', 'subscribe to arn:aws:sns:eu-central-1:123456789012:alarms'],
      ['wrong', '0 subscribers', 'subscribe to arn:aws:sns:eu-central-1:123456789012:pages'],
      ['ok', 'set for mine', undefined],
      [
        'wrong',
        'answer 401',
        'a 403 is a matter of your permissions, a 429 of apiConcurrency; else see the log of doors',
      ],
    ]);
  });

  test('that takes tokens is up where it sends away who has none', async () => {
    const { code, found } = await examine({ takesTokens: true, doorsStatus: 401 });
    expect([code, found['doors'], found['API and clocks']?.[0]]).toEqual([
      0,
      ['ok', 'answer', undefined],
      'ok',
    ]);
  });
});
