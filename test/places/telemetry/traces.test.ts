import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { expect, test, vi } from 'vitest';
import project from '../../../package.json' with { type: 'json' };
import { ModelError } from '../../../src/errors.ts';
import { serveAgents } from '../../doors/api/served-agents.ts';
import { otlpCollector, type ReceivedSpan } from '../../fixtures/otlp-collector.ts';
import { call, openStage, use } from '../../fixtures/stage.ts';
import { typed } from '../../fixtures/typed.ts';

const KNOWN = new Set<unknown>(Object.values(conventions));

/** A tree in which agents call each other, tools and people. */
const ROLES = {
  top: ({ turn, results }: { turn: number; results: string[] }) =>
    turn === 1
      ? [call('kid', 'dig'), use('read_file', { path: 'no such file' })]
      : turn === 2
        ? [call('odd', 'dig')]
        : results.join(),
  kid: () => 'found it',
  odd: () => {
    throw new ModelError('auth', 'no such key');
  },
};
const EXTRA = { top: 'sub_agents = ["kid", "odd"]\ntools = ["files"]\n' };

/** The names of spans below each other, by the alphabet: some begin in the same millisecond. */
function drawn(spans: readonly ReceivedSpan[], parent = ''): unknown[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .map((span) => {
      const below = drawn(spans, span.spanId);
      return below.length === 0 ? span.name : { [span.name]: below };
    });
}

async function exported() {
  const collector = await otlpCollector();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.endpoint);
  const stage = await openStage(ROLES, EXTRA);
  const { run } = await stage.run();
  await stage.environment.close();
  return { collector, run, cwd: stage.cwd };
}

test('a tree is one trace, by the conventions for generative AI, and later the same', async () => {
  const { collector, run, cwd } = await exported();
  const { spans, resources } = collector;
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  const tree = drawn(spans);
  expect(tree).toHaveLength(1);
  expect(JSON.stringify(tree)).toBe(
    JSON.stringify([
      {
        'invoke_agent top': [
          'chat top',
          'chat top',
          'chat top',
          { 'execute_tool call_agent': [{ 'invoke_agent kid': ['chat kid'] }] },
          { 'execute_tool call_agent': ['invoke_agent odd'] },
          'execute_tool read_file',
        ],
      },
    ]),
  );
  expect(resources[0]).toMatchObject({ 'service.name': 'cadre', 'service.version': project.version });
  const names = spans.flatMap(({ attributes }) => Object.keys(attributes));
  expect(names.filter((name) => !KNOWN.has(name) && !name.startsWith('cadre.'))).toEqual([]);
  expect(
    spans.map(({ attributes }) => attributes['gen_ai.operation.name']).filter((name) => !KNOWN.has(name)),
  ).toEqual([]);
  const chat = spans.find(({ name }) => name === 'chat kid');
  expect(chat).toMatchObject({
    kind: 'SPAN_KIND_CLIENT',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.agent.name': 'kid',
      'gen_ai.conversation.id': run.id,
      'gen_ai.provider.name': 'stage',
      'gen_ai.request.model': 'kid',
      'gen_ai.response.finish_reasons': [expect.any(String)],
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
      'cadre.turn': 1,
    },
  });
  const failed = spans.filter(({ status }) => status?.code === 'STATUS_CODE_ERROR').map(({ name }) => name);
  expect(failed.toSorted()).toEqual([
    'execute_tool call_agent',
    'execute_tool read_file',
    'invoke_agent odd',
  ]);
  // Texts leave the machine only where that is asked for.
  expect(JSON.stringify(spans)).not.toContain('found it');

  const later = await otlpCollector();
  const { code, err } = await typed(['traces', run.id, '--otlp', later.endpoint], cwd);
  expect([code, err]).toEqual([0, `${spans.length} spans of trace ${spans[0]?.traceId} sent\n`]);
  const byId = (all: readonly ReceivedSpan[]) =>
    all.toSorted((one, other) => one.spanId.localeCompare(other.spanId));
  expect(byId(later.spans)).toEqual(byId(spans));
});

test('what was said is exported where that is asked for', async () => {
  vi.stubEnv('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT', 'true');
  const { collector } = await exported();
  const chat = collector.spans.find(({ name }) => name === 'chat kid');
  expect(JSON.parse(String(chat?.attributes['gen_ai.input.messages']))).toMatchObject([
    { role: 'user', parts: [{ type: 'text', content: expect.stringContaining('dig') }] },
  ]);
  expect(JSON.parse(String(chat?.attributes['gen_ai.output.messages']))).toEqual([
    { role: 'assistant', parts: [{ type: 'text', content: 'found it' }], finish_reason: 'end' },
  ]);
});

test('turns and runs are counted by agent, model and outcome', async () => {
  const { collector } = await exported();
  expect(collector.metrics.map(({ name }) => name).toSorted()).toEqual([
    'cadre.run.duration',
    'gen_ai.client.operation.duration',
    'gen_ai.client.token.usage',
  ]);
  const told = JSON.stringify(collector.metrics);
  for (const status of ['succeeded', 'failed']) expect(told).toContain(`"stringValue":"${status}"`);
});

test('a trace goes on from that of the request', async () => {
  const collector = await otlpCollector();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.endpoint);
  const { post } = await serveAgents({ top: () => 'done' });
  const ids = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const start = (traceparent: string) => post('/agents/top/runs?wait=25', { headers: { traceparent } });
  await start(`00-${ids.join('-')}-01`);
  await start(`00-${ids.join('-')}-00`);
  await start('00-0-0-01');
  const invoked = () => collector.spans.filter(({ name }) => name === 'invoke_agent top');
  await expect.poll(invoked).toHaveLength(2);
  expect(invoked().map(({ traceId, parentSpanId }) => [traceId, parentSpanId])).toEqual([
    ids,
    [expect.not.stringMatching(ids[0] ?? ''), ''],
  ]);
});

test('a share of the traces is exported whole', async () => {
  vi.stubEnv('OTEL_TRACES_SAMPLER', 'traceidratio');
  vi.stubEnv('OTEL_TRACES_SAMPLER_ARG', '0');
  const { collector } = await exported();
  expect(collector.spans).toEqual([]);
});

test('an endpoint that takes nothing costs a run nothing, and is told of once', async () => {
  const collector = await otlpCollector(400);
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.endpoint);
  const stage = await openStage(ROLES, EXTRA);
  const warnings: string[] = [];
  stage.onEvent((event) => {
    if (event.type === 'warning') warnings.push(event.message);
  });
  const { run, tree } = await stage.run();
  expect([run.status, tree.length]).toEqual(['succeeded', 3]);
  await stage.environment.close();
  expect(warnings).toEqual([
    expect.stringMatching(/^spans are not exported; cadre traces exports them later: /),
  ]);
});

test('spans are printed, and nothing is sent nowhere', async () => {
  const stage = await openStage({ top: () => 'done' });
  const { run } = await stage.run();
  const { out } = await typed(['traces', 'last', '--json', '--content'], stage.cwd);
  expect(out).toContain('"name":"invoke_agent top"');
  expect(out).toContain('done');
  expect(await typed(['traces', run.id], stage.cwd)).toMatchObject({
    code: 2,
    err: expect.stringContaining('no endpoint is set: give --otlp <url>'),
  });
  expect(await typed(['traces', run.id, '--otlp', 'localhost:4318'], stage.cwd)).toMatchObject({
    code: 2,
    err: expect.stringContaining('--otlp "localhost:4318" is not a URL'),
  });
});

test('a run that goes on after a failure is two executions, the later linked to the one before', async () => {
  let isDown = true;
  const stage = await openStage({
    top: () => {
      if (isDown) throw new ModelError('server', 'down');
      return 'done';
    },
  });
  const { run } = await stage.run();
  isDown = false;
  await stage.resume(run.id);
  const collector = await otlpCollector();
  await typed(['traces', run.id, '--otlp', collector.endpoint], stage.cwd);
  const executions = collector.spans.filter(({ name }) => name === 'invoke_agent top');
  expect(executions.map(({ links }) => links.map(({ spanId }) => spanId))).toEqual([
    [],
    [executions[0]?.spanId],
  ]);
  const chat = collector.spans.find(({ name }) => name === 'chat top');
  expect(chat?.parentSpanId).toBe(executions[1]?.spanId);
  expect(executions.map(({ attributes }) => attributes['cadre.status'])).toEqual([undefined, 'succeeded']);
});
