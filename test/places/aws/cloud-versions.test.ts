import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { gcVersions } from '../../../src/doors/cli/commands/gc-versions.ts';
import { removeUnusedVersions } from '../../../src/places/aws/cloud-versions.ts';
import { bodyOf, serveOnLoopback, type LoopbackServer } from '../../fixtures/loopback.ts';
import { recordedIo } from '../../fixtures/recorded-io.ts';
import { stubAws } from '../../fixtures/stub-aws.ts';

const ARN = 'arn:aws:states:eu-central-1:123456789012:stateMachine:cadre-prod';
const FUNCTION = 'arn:aws:lambda:eu-central-1:123456789012:function:cadre-prod';
const NOW = Date.parse('2026-11-22T12:00:00Z');
const DEPLOYMENT = {
  region: 'eu-central-1',
  stateMachineArn: ARN,
  tableName: 't',
  bucketName: 'b',
  apiUrl: 'https://api.example.org',
  keepDays: 30,
};
const DEFINITION = JSON.stringify({
  States: {
    Open: { Arguments: { FunctionName: `${FUNCTION}-open:2` } },
    Turn: { Arguments: { FunctionName: `${FUNCTION}-turn:5` } },
    Tool: { Arguments: { FunctionName: `${FUNCTION}-tool:1` } },
  },
});

/** Versions in the order of their numbers, by when they were published. */
const VERSIONS: Record<string, string[]> = {
  [`${FUNCTION}-open`]: ['2026-01-01', '2026-10-01'],
  [`${FUNCTION}-tool`]: ['2026-10-01'],
  [`${FUNCTION}-fn-weather`]: ['2026-01-01', '2026-08-01', '2026-10-01'],
  [`${FUNCTION}-turn`]: ['2026-01-01', '2026-08-01', '2026-10-01', '2026-11-21', '2026-11-22'],
};

/** When executions that are under way began. */
let running: string[];
/** How the function of tools names the version of a function that is made of a module. */
let weather: string;
let deleted: string[];
let aws: LoopbackServer;

beforeEach(async () => {
  running = [];
  weather = '3';
  deleted = [];
  aws = await serveOnLoopback(async (request, response) => {
    const answer = await answerTo(request);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
  stubAws({
    AWS_ENDPOINT_URL: aws.endpoint,
  });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await aws.close();
});

/** Systems Manager, Step Functions and Lambda, with pages of one and two entries. */
async function answerTo(request: IncomingMessage): Promise<unknown> {
  const body = String(await bodyOf(request));
  const url = new URL(request.url ?? '', aws.endpoint);
  const operation = String(request.headers['x-amz-target']).replace(/^.*\./, '');
  switch (operation) {
    case 'GetParameter':
      return { Parameter: { Value: JSON.stringify(DEPLOYMENT) } };
    case 'DescribeStateMachine':
      return { stateMachineArn: ARN, definition: DEFINITION };
    case 'ListExecutions': {
      const { nextToken = '0', statusFilter } = JSON.parse(body);
      expect(statusFilter).toBe('RUNNING');
      const next = Number(nextToken) + 1;
      return {
        executions: running
          .slice(next - 1, next)
          .map((startDate) => ({ executionArn: 'arn', startDate: Date.parse(startDate) / 1000 })),
        ...(next < running.length && { nextToken: String(next) }),
      };
    }
  }
  const [, name = ''] = /\/functions\/([^/]+)/.exec(decodeURIComponent(url.pathname)) ?? [];
  if (request.method === 'DELETE') {
    deleted.push(`${name.split(':').at(-1)}:${url.searchParams.get('Qualifier')}`);
    return {};
  }
  if (url.pathname.endsWith('/configuration')) {
    const functions = { 'fn-weather': weather, stock: `${FUNCTION}-stock:1` };
    return { Environment: { Variables: { CADRE_FUNCTIONS: JSON.stringify(functions) } } };
  }
  const all = [
    { Version: '$LATEST', LastModified: '2026-11-22T00:00:00.000+0000' },
    ...(VERSIONS[name] ?? []).map((day, index) => ({
      Version: String(index + 1),
      LastModified: `${day}T00:00:00.000+0000`,
    })),
  ];
  const from = Number(url.searchParams.get('Marker') ?? 0);
  return {
    Versions: all.slice(from, from + 2),
    ...(from + 2 < all.length && { NextMarker: String(from + 2) }),
  };
}

describe('versions of functions', () => {
  test.each([
    ['', '3'],
    [', also as an earlier release deployed it', `${FUNCTION}-fn-weather:3`],
  ])(
    'are removed that neither the machine nor an execution that can be redriven names%s',
    async (_, named) => {
      weather = named;
      expect(await removeUnusedVersions('prod', { dryRun: false, now: NOW })).toEqual([
        { name: 'cadre-prod-open', removed: ['1'], kept: ['2'] },
        // The third was called until the day before yesterday: an execution that failed since may be redriven.
        { name: 'cadre-prod-turn', removed: ['1', '2'], kept: ['3', '4', '5'] },
        { name: 'cadre-prod-tool', removed: [], kept: ['1'] },
        // One that is made of a module, as the function of tools names it.
        { name: 'cadre-prod-fn-weather', removed: ['1', '2'], kept: ['3'] },
      ]);
      expect(deleted).toEqual([
        'cadre-prod-open:1',
        'cadre-prod-turn:1',
        'cadre-prod-turn:2',
        'cadre-prod-fn-weather:1',
        'cadre-prod-fn-weather:2',
      ]);
    },
  );

  test('stay for the oldest execution that is under way, however old it is', async () => {
    running = ['2026-11-22T11:00:00Z', '2026-09-01T00:00:00Z'];
    const [, turn] = await removeUnusedVersions('prod', { dryRun: false, now: NOW });
    expect(turn).toEqual({ name: 'cadre-prod-turn', removed: ['1'], kept: ['2', '3', '4', '5'] });
  });

  test('stay for an execution that began while they were being replaced', async () => {
    running = ['2026-08-01T12:00:00Z'];
    await removeUnusedVersions('prod', { dryRun: false, now: NOW });
    expect(deleted).toEqual([]);
  });

  test('are told of by a dry run, and stay', async () => {
    const io = recordedIo('/');
    vi.setSystemTime(NOW);
    try {
      expect(await gcVersions(undefined, { env: 'prod', dryRun: true }, io)).toBe(0);
    } finally {
      vi.useRealTimers();
    }
    expect(io.out).toBe(
      'cadre-prod-open: 1 would be removed, 2 kept\ncadre-prod-turn: 1, 2 would be removed, 3, 4, 5 kept\ncadre-prod-tool: none would be removed, 1 kept\ncadre-prod-fn-weather: 1, 2 would be removed, 3 kept\n',
    );
    expect(deleted).toEqual([]);
  });

  test.each([
    [undefined, {}, '--versions works in a deployed environment only; name it with --env'],
    ['top', { env: 'prod' }, '--versions removes versions of functions; omit the agent, --all and --model'],
    [
      undefined,
      { env: 'prod', all: true },
      '--versions removes versions of functions; omit the agent, --all and --model',
    ],
  ])('are not for %s with %o', async (name, options, message) => {
    await expect(gcVersions(name, options, recordedIo('/'))).rejects.toMatchObject({
      name: 'ConfigError',
      message,
    });
  });
});
