import { describe, expect, test } from 'vitest';
import { treeKey } from '../../src/core/records/run-id.ts';
import { startOtlpCollector } from '../fixtures/otlp-collector.ts';
import type { Role } from './converse.ts';
import { rehearsal } from './deployed.ts';

export const AGENTS = {
  measured: 'name = "measured"\nmodel = "bedrock/anthropic.claude-measured"\nsub_agents = ["part"]\n',
  part: 'name = "part"\nmodel = "bedrock/anthropic.claude-part"\n',
};
export const ROLES: Record<string, Role> = {
  measured: ({ turn }) => (turn === 1 ? [{ call: 'part', task: 'a secret task' }] : 'done'),
  part: () => 'a secret answer',
};

let collector: Awaited<ReturnType<typeof startOtlpCollector>>;

/** The settings of an environment that exports to a collector. */
export async function exporting() {
  collector = await startOtlpCollector();
  return { telemetry: { endpoint: collector.endpoint } };
}

export const describeTelemetry = () =>
  describe('spans of a deployed tree', () => {
    test('are sent from the stream of the table, as one trace without what was said', async () => {
      const { body } = await rehearsal.askApi('POST', '/agents/measured/runs', {
        caller: 'ada',
        json: { prompt: 'go' },
      });
      const run = String(body['run_id']);
      await rehearsal.askApi('GET', `/runs/${run}/result?wait=25`, { caller: 'ada' });
      await rehearsal.stream.delivered();

      const { traceId } = collector.spans.find(
        ({ attributes }) => attributes['gen_ai.conversation.id'] === run,
      ) ?? { traceId: '' };
      // What is written twice is sent twice, and is the same span.
      const spans = new Map(
        collector.spans.filter((one) => one.traceId === traceId).map((one) => [one.spanId, one]),
      );
      const parent = (id: string) => spans.get(id)?.name ?? '';
      expect(
        [...spans.values()].map(({ name, parentSpanId }) => `${parent(parentSpanId)} > ${name}`).sort(),
      ).toEqual([
        ' > invoke_agent measured',
        'execute_tool call_agent > invoke_agent part',
        'invoke_agent measured > chat anthropic.claude-measured',
        'invoke_agent measured > chat anthropic.claude-measured',
        'invoke_agent measured > execute_tool call_agent',
        'invoke_agent part > chat anthropic.claude-part',
      ]);
      expect(collector.resources[0]).toMatchObject({ 'deployment.environment.name': 'dev' });
      expect(JSON.stringify([...spans.values()])).not.toContain('secret');
      expect(collector.metrics.map(({ name }) => name)).toEqual(
        expect.arrayContaining([
          'gen_ai.client.token.usage',
          'gen_ai.client.operation.duration',
          'cadre.run.duration',
        ]),
      );

      // As it is when it has expired.
      const sent = collector.spans.length;
      const keys = { partition: { S: `tree#${treeKey(run)}` }, sort: { S: `run#${run}` } };
      rehearsal.stream.put(keys, 'REMOVE');
      await rehearsal.stream.delivered();
      expect(collector.spans.length).toBe(sent);
      await collector.close();
    });
  });
