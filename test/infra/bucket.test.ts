import { expect, test } from 'vitest';
import definition from '../../infra/bucket.asl.json' with { type: 'json' };
import { checkDefinitionText } from '../../src/asl/definition/check-definition.ts';
import { openVirtualMachines } from '../../src/places/testing/virtual-machines.ts';

const START = Date.parse('2030-01-01T00:00:00Z');
const DEFINITION = JSON.stringify(definition).replaceAll('${Partition}', 'aws');
const roleArn = 'arn:aws:iam::123456789012:role/cadre';

test('a bucket is looked at when its function says so, until all is done, and again after a fault', async () => {
  const looks: { at: number; payload: unknown }[] = [];
  const { machines, after } = openVirtualMachines({
    startedAt: START,
    region: 'us-east-1',
    account: '123456789012',
    async invoke(_, payload) {
      const at = await new Promise<number>((resolve) => void after(0, () => resolve(looks.length)));
      looks.push({ at, payload });
      if (at === 0) return { payload: { next: 'look', at: '2030-01-01T00:01:05Z' } };
      if (at <= 4)
        return { payload: { errorType: 'AgentError', errorMessage: 'no' }, functionError: 'Unhandled' };
      return { payload: { next: 'done' } };
    },
  });
  const { stateMachineArn } = machines.createStateMachine({
    name: 'batches',
    definition: DEFINITION,
    roleArn,
  });
  const input = { bucket: 'batch-a-1', model: 'anthropic/x' };
  const { executionArn } = machines.startExecution({ stateMachineArn, name: 'batch-a-1', input });
  const { status } = await machines.ended(executionArn);
  expect({ status, looks: looks.map(({ payload }) => payload) }).toEqual({
    status: 'SUCCEEDED',
    looks: Array(6).fill(input),
  });
});

test('its definition holds', () => {
  expect(checkDefinitionText(DEFINITION)).toEqual([]);
});
