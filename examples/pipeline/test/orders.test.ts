import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { call, openTestCadre } from 'cadre/testing';
import { expect, test, vi } from 'vitest';
import { startAll } from '../functions/start/start-all.mjs';
import { addPipeline } from '../infra/pipeline.ts';

const folder = join(import.meta.dirname, '..');

test('orders passes its evaluation with a model that does what is expected', async () => {
  const items = [
    { article: 'A1', quantity: 12 },
    { article: 'B2', quantity: 3 },
  ];
  const cadre = await openTestCadre({
    folder,
    models: {
      orders: ({ prompt, results }) => {
        if (results[0] !== undefined) return results[0];
        return prompt.includes('please send')
          ? call('record_order', { number: 'PO-77', items })
          : 'not recorded: it is a question';
      },
    },
  });
  const { cases } = await cadre.evaluate('evals/orders.toml');
  expect(cases.filter(({ passed }) => passed < 1)).toEqual([]);
  await cadre.close();
});

test('each message starts one run, and one that cannot start is delivered again', async () => {
  const NAMES: Record<string, string> = { m2: 'ExecutionAlreadyExists', m3: 'ThrottlingException' };
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  const started: unknown[] = [];
  const start = async (run: { name: string; input: string }) => {
    if (run.name !== 'm1') throw Object.assign(new Error(), { name: NAMES[run.name] });
    started.push(run);
  };
  const records = ['m1', 'm2', 'm3'].map((messageId) => ({ messageId, body: `order ${messageId}` }));
  expect(await startAll(records, start)).toEqual({ batchItemFailures: [{ itemIdentifier: 'm3' }] });
  expect(logged.mock.calls).toEqual([['m3', 'ThrottlingException']]);
  logged.mockRestore();
  expect(started).toEqual([
    { name: 'm1', input: '{"agent":"orders","prompt":"Record this order","context":"order m1"}' },
  ]);
});

test('the queue may start the machine, and the agent may call what records', () => {
  const stack = new Stack(new App(), 'pipeline-dev');
  addPipeline(stack, { environment: 'dev', agentsFolder: join(folder, 'agents'), retainData: false });
  const template = Template.fromStack(stack);
  const found = (type: string, properties: Record<string, unknown>) =>
    Object.keys(template.findResources(type, { Properties: properties })).length;
  const allowed = (role: string, action: string) =>
    found('AWS::IAM::Policy', {
      PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Action: action })]) },
      Roles: [{ Ref: Match.stringLikeRegexp(role) }],
    });
  expect({
    starts: allowed('^Start', 'states:StartExecution'),
    records: allowed('^RecordOrder', 'dynamodb:PutItem'),
    again: found('AWS::Lambda::EventSourceMapping', { FunctionResponseTypes: ['ReportBatchItemFailures'] }),
  }).toEqual({ starts: 1, records: 1, again: 1 });
  // The functions are bundled.
}, 60_000);
