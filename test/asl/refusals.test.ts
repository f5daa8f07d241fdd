import { beforeAll, expect, test } from 'vitest';
import { StatesApiError } from '../../src/asl/executions/errors.ts';
import { answer } from '../../src/asl/server/operations.ts';
import type { Json } from '../../src/json.ts';
import { definitionOf, INVOKE, invoke, machinesWith, ROLE } from './harness.ts';

const PREFIX = 'arn:aws:states:us-east-1:123456789012';
const MACHINE = `${PREFIX}:stateMachine:plain`;
const EXPRESS = `${PREFIX}:stateMachine:express`;
const hang = JSON.stringify(definitionOf({ Hang: invoke('hang') }));
const fail = JSON.stringify(definitionOf({ Fail: { Type: 'Fail' } }));
const waiting = JSON.stringify(
  definitionOf({ Wait: { Type: 'Task', Resource: `${INVOKE}.waitForTaskToken`, Arguments: {}, End: true } }),
);
const machines = machinesWith({ hang: () => new Promise<Json>(() => {}) });
const ask = (operation: string, request: object) => answer(machines, operation, JSON.stringify(request));

beforeAll(() => {
  ask('CreateStateMachine', { name: 'plain', definition: hang, roleArn: ROLE });
  ask('CreateStateMachine', { name: 'express', definition: hang, roleArn: ROLE, type: 'EXPRESS' });
  ask('StartExecution', { stateMachineArn: MACHINE, name: 'running', input: '{"n":1}' });
  return () => machines.stopAll('the tests have ended');
});

test.each<[string, object, string, string | RegExp]>([
  [
    'CreateStateMachine',
    { name: 'a b', definition: hang, roleArn: ROLE },
    'InvalidName',
    "Invalid Name: 'a b' is not 1 to 80 letters, digits, hyphens and underscores",
  ],
  [
    'CreateStateMachine',
    { name: 'm'.repeat(81), definition: hang, roleArn: ROLE },
    'InvalidName',
    `Invalid Name: '${'m'.repeat(81)}' is not 1 to 80 letters, digits, hyphens and underscores`,
  ],
  [
    'CreateStateMachine',
    { name: 'plain', definition: fail, roleArn: ROLE },
    'StateMachineAlreadyExists',
    `State Machine Already Exists: '${MACHINE}'`,
  ],
  [
    'CreateStateMachine',
    { name: 'plain', definition: hang, roleArn: `${ROLE}2` },
    'StateMachineAlreadyExists',
    `State Machine Already Exists: '${MACHINE}'`,
  ],
  [
    'CreateStateMachine',
    { name: 'plain', definition: hang, roleArn: ROLE, type: 'EXPRESS' },
    'StateMachineAlreadyExists',
    `State Machine Already Exists: '${MACHINE}'`,
  ],
  [
    'CreateStateMachine',
    { name: 'x', definition: hang, roleArn: ROLE, type: 'SLOW' },
    'StateMachineTypeNotSupported',
    'state machines of type SLOW are not supported; use STANDARD or EXPRESS',
  ],
  [
    'CreateStateMachine',
    { name: 'x', definition: '{}', roleArn: ROLE },
    'InvalidDefinition',
    /^Invalid State Machine Definition: 'SCHEMA_VALIDATION_FAILED: .+ at \/(, .+)*'$/,
  ],
  [
    'CreateStateMachine',
    { name: 'x', definition: waiting, roleArn: ROLE, type: 'EXPRESS' },
    'InvalidDefinition',
    'Invalid State Machine Definition: Express state machines do not support "Resource":"arn:aws:states:::lambda:invoke.waitForTaskToken"',
  ],
  [
    'UpdateStateMachine',
    { stateMachineArn: MACHINE },
    'MissingRequiredParameter',
    'Either the definition, the role ARN, the LoggingConfiguration, or the TracingConfiguration must be specified',
  ],
  [
    'DescribeStateMachine',
    { stateMachineArn: 'nonsense' },
    'InvalidArn',
    "Invalid Arn: 'nonsense' is not the ARN of a state machine",
  ],
  [
    'DeleteStateMachine',
    { stateMachineArn: 'nonsense' },
    'InvalidArn',
    "Invalid Arn: 'nonsense' is not the ARN of a state machine",
  ],
  [
    'ListExecutions',
    { stateMachineArn: `${MACHINE}2` },
    'StateMachineDoesNotExist',
    `State Machine Does Not Exist: '${MACHINE}2'`,
  ],
  [
    'ListExecutions',
    { stateMachineArn: EXPRESS },
    'StateMachineTypeNotSupported',
    'Express executions are not listed',
  ],
  [
    'StartExecution',
    { stateMachineArn: EXPRESS },
    'StateMachineTypeNotSupported',
    "This operation is not supported by this type of state machine: 'EXPRESS'",
  ],
  [
    'StartExecution',
    { stateMachineArn: MACHINE, input: '{' },
    'InvalidExecutionInput',
    /^Invalid State Machine Execution Input: '.+'$/,
  ],
  [
    'StartExecution',
    { stateMachineArn: MACHINE, name: 'running', input: '{"n":2}' },
    'ExecutionAlreadyExists',
    `Execution Already Exists: '${PREFIX}:execution:plain:running'`,
  ],
  [
    'DescribeExecution',
    { executionArn: MACHINE },
    'InvalidArn',
    `Invalid Arn: '${MACHINE}' is not the ARN of an execution`,
  ],
  [
    'DescribeExecution',
    { executionArn: `${PREFIX}:execution:plain:gone` },
    'ExecutionDoesNotExist',
    `Execution Does Not Exist: '${PREFIX}:execution:plain:gone'`,
  ],
  [
    'DescribeExecution',
    { executionArn: `${PREFIX}:express:express:a:b` },
    'InvalidArn',
    "Invalid Arn: 'Resource type not valid in this context: express'",
  ],
  [
    'GetExecutionHistory',
    { executionArn: `${PREFIX}:execution:plain:running`, nextToken: 'x'.repeat(101) },
    'InvalidToken',
    `Invalid Token: '${'x'.repeat(100)}'`,
  ],
  [
    'RedriveExecution',
    { executionArn: `${PREFIX}:execution:plain:running` },
    'ExecutionNotRedrivable',
    `Execution is RUNNING and cannot be redriven: '${PREFIX}:execution:plain:running'`,
  ],
  ['SendTaskSuccess', { taskToken: 'never', output: '{}' }, 'InvalidToken', "Invalid Token: 'Invalid token'"],
  ['SendTaskSuccess', { taskToken: 'never', output: '{' }, 'InvalidOutput', /^Invalid Output: '.+'$/],
])('%s of %j is refused with %s, and says why', (operation, request, name, message) => {
  const refused = (() => {
    try {
      return ask(operation, request);
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(refused).toBeInstanceOf(StatesApiError);
  const words = typeof message === 'string' ? message : expect.stringMatching(message);
  expect(refused).toMatchObject({ name, message: words });
});

test('an execution that is started again with the same input is the one that runs', () => {
  const started = ask('StartExecution', { stateMachineArn: MACHINE, name: 'running', input: '{"n":1}' });
  expect(started).toEqual({
    executionArn: `${PREFIX}:execution:plain:running`,
    startDate: Date.parse('2030-01-01T00:00:00Z') / 1000,
  });
});

test('a machine whose role alone is changed keeps its definition, and the other way round', () => {
  const create = { name: 'changed', definition: hang, roleArn: ROLE };
  const { stateMachineArn } = machines.createStateMachine(create);
  machines.updateStateMachine({ stateMachineArn, roleArn: `${ROLE}2` });
  expect(machines.describeStateMachine(stateMachineArn)).toMatchObject({
    definition: hang,
    roleArn: `${ROLE}2`,
  });
  machines.updateStateMachine({ stateMachineArn, definition: fail });
  expect(machines.describeStateMachine(stateMachineArn)).toMatchObject({
    definition: fail,
    roleArn: `${ROLE}2`,
  });
});
