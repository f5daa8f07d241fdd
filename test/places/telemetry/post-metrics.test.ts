import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { expect, test } from 'vitest';
import { measuredAt, type Measured } from '../../../src/core/telemetry/measured.ts';
import { postMetrics } from '../../../src/places/telemetry/post-metrics.ts';
import { createMemoryStore } from '../../../src/places/testing/memory-store.ts';
import { otlpCollector } from '../../fixtures/otlp-collector.ts';
import { aRun, aTurn, keepRun } from '../../fixtures/records.ts';

const of = { agent: 'kid', model: 'anthropic/claude-sonnet-4-5' };
const usage = { turns: 1, toolCalls: 0, inputTokens: 900, outputTokens: 20, nanoUsd: 3_000_000 };
const MEASURED: Measured[] = [
  { ...of, turn: { latencyMs: 1_500, usage } },
  { ...of, turn: { latencyMs: 500, usage } },
  { ...of, pack: 'agents-next@1f0e6b2c9a47', turn: { latencyMs: 500, usage } },
  { ...of, end: { status: 'failed', durationMs: 4_000 } },
];

/** Each series of a metric: its attributes, how often it was measured, and the sum of that. */
function seriesOf(metric: Record<string, unknown>): unknown[] {
  const { histogram, sum } = metric as {
    histogram?: { aggregationTemporality: string; dataPoints: Point[] };
    sum?: { aggregationTemporality: string; dataPoints: Point[] };
  };
  const data = histogram ?? sum;
  return [
    data?.aggregationTemporality,
    ...(data?.dataPoints ?? []).map(({ attributes, count, sum: total, asDouble }) => [
      Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue])),
      ...(count === undefined ? [] : [Number(count)]),
      total ?? asDouble,
    ]),
  ];
}
interface Point {
  attributes: { key: string; value: { stringValue: string } }[];
  count?: string;
  sum?: number;
  asDouble?: number;
}

test('what was measured is one request, decoded by the official definitions, and the difference that it makes', async () => {
  const collector = await otlpCollector();
  expect(await postMetrics(MEASURED, { endpoint: `${collector.endpoint}/`, headers: {} })).toBe(true);
  const who = {
    'gen_ai.agent.name': 'kid',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.model': 'claude-sonnet-4-5',
  };
  const next = { ...who, 'cadre.pack': 'agents-next@1f0e6b2c9a47' };
  const chat = (more: object) => ({ 'gen_ai.operation.name': 'chat', ...more });
  const typed = (more: object, type: string) => ({ ...chat(more), 'gen_ai.token.type': type });
  const DELTA = 'AGGREGATION_TEMPORALITY_DELTA';
  expect(Object.fromEntries(collector.metrics.map((metric) => [metric.name, seriesOf(metric)]))).toEqual({
    'gen_ai.client.operation.duration': [DELTA, [chat(who), 2, 2], [chat(next), 1, 0.5]],
    'gen_ai.client.token.usage': [
      DELTA,
      [typed(who, 'input'), 2, 1800],
      [typed(who, 'output'), 2, 40],
      [typed(next, 'input'), 1, 900],
      [typed(next, 'output'), 1, 20],
    ],
    'cadre.cost': [DELTA, [who, 0.006], [next, 0.003]],
    'cadre.run.duration': [DELTA, [{ ...who, 'cadre.status': 'failed' }, 1, 4]],
  });
  const known = new Set<unknown>(Object.values(conventions));
  const names = collector.metrics.map(({ name }) => name);
  expect(names.filter((name) => !known.has(name) && !name.startsWith('cadre.'))).toEqual([]);
});

test('an endpoint for spans alone is told apart from one that takes nothing just now', async () => {
  const to = async (status: number) => ({ ...(await otlpCollector(status)), headers: {} });
  expect(await postMetrics(MEASURED, await to(404))).toBe(false);
  await expect(postMetrics(MEASURED, await to(429))).rejects.toThrow(
    'the metrics were not taken: the endpoint answered 429',
  );
  await expect(postMetrics(MEASURED, await to(503))).rejects.toThrow('the endpoint answered 503');
});

test('an end is measured when it is written down, and not with what is written later', async () => {
  const { runs } = createMemoryStore();
  const ended = aRun({
    status: 'succeeded',
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: '2026-01-01T00:00:09.000Z',
  });
  await keepRun(runs, ended);
  await runs.saveTurn(ended.id, aTurn({ latencyMs: 700 }));
  const at = (seconds: number) =>
    measuredAt({ run: ended.id, isOver: true }, Date.parse(ended.startedAt) + seconds * 1000, runs);
  expect(await at(10)).toMatchObject({ agent: ended.agent, end: { status: 'succeeded', durationMs: 9_000 } });
  expect(await at(600)).toBeUndefined();
  const turn = { run: ended.id, turn: 1 };
  expect(await measuredAt(turn, 0, runs)).toMatchObject({ turn: { latencyMs: 700 } });
  expect(await measuredAt({ ...turn, turn: 2 }, 0, runs)).toBeUndefined();
});
