import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/json.ts';
import { checkDefinition } from '../../src/asl/definition/check-definition.ts';
import { definitionOf, INVOKE, invoke, machinesWith, ROLE } from './harness.ts';

type Fields = { [field: string]: Json };
const end: Fields = { Type: 'Pass', End: true };
const map = (more: Fields, processor: Fields = {}): Fields => ({
  Type: 'Map',
  ItemProcessor: { StartAt: 'One', States: { One: end }, ...processor },
  End: true,
  ...more,
});
const only = (state: Fields) => definitionOf({ It: state });

/** `location: message` of each problem. */
const problemsOf = (definition: Json) =>
  checkDefinition(definition).map(({ location, message }) => `${location}: ${message}`);

describe('a definition', () => {
  it('of all that is known has no problems', () => {
    const definition = definitionOf(
      {
        Pass: { Type: 'Pass', Comment: 'a', Assign: { v: '{% 1 %}' }, Output: 'text', Next: 'Task' },
        Task: invoke('f', {
          Next: 'Start',
          TimeoutSeconds: '{% $v + 1 %}',
          HeartbeatSeconds: 1,
          Retry: [
            {
              ErrorEquals: ['A', 'B'],
              IntervalSeconds: 1,
              MaxAttempts: 0,
              BackoffRate: 1.5,
              MaxDelaySeconds: 3,
              JitterStrategy: 'FULL',
            },
            { ErrorEquals: ['States.ALL'] },
          ],
          Catch: [
            {
              ErrorEquals: ['States.ALL'],
              Assign: { e: '{% $states.errorOutput.Error %}' },
              Output: '{% $states.errorOutput %}',
              Next: 'Fail',
            },
          ],
        }),
        Start: {
          Type: 'Task',
          Resource: 'arn:aws:states:::states:startExecution.sync:2',
          Arguments: { StateMachineArn: 'x', Name: 'n', Input: {} },
          Next: 'Wait',
        },
        Wait: { Type: 'Wait', Timestamp: '2030-01-01T00:00:00+01:00', Next: 'Choice' },
        Choice: {
          Type: 'Choice',
          Choices: [{ Condition: '{% $states.input.list[price > 5] ~> $exists() %}', Next: 'Parallel' }],
          Default: 'Succeed',
        },
        Parallel: {
          Type: 'Parallel',
          Branches: [
            {
              StartAt: 'In',
              States: { In: { ...end, Output: '{% ($f := function($x) { $x + $v }; $map([1], $f)) %}' } },
            },
          ],
          Next: 'Map',
        },
        Map: map({
          Items: '{% $states.input %}',
          ItemSelector: { i: '{% $states.context.Map.Item.Index %}' },
          MaxConcurrency: 3,
          ToleratedFailurePercentage: 1.5,
        }),
        Succeed: { Type: 'Succeed', Output: 1 },
        Fail: { Type: 'Fail', Error: 'E', Cause: '{% $e %}' },
      },
      { TimeoutSeconds: 9, Version: '1.0', Comment: 'all of it' },
    );
    expect(problemsOf(definition)).toEqual([]);
  });

  it('has in each field what belongs there', () => {
    const wrong = (type: string, ...fields: string[]) => ({
      Type: type,
      ...Object.fromEntries(fields.map((field) => [field, [7]])),
    });
    const goesOn = ['Next', 'End', 'Assign'];
    const canFail = ['Retry', 'Catch'];
    const states = {
      Pass: wrong('Pass', ...goesOn, 'Comment'),
      Succeed: wrong('Succeed', 'Next'),
      Fail: wrong('Fail', 'Error', 'Cause', 'End'),
      Choice: { ...wrong('Choice', 'Default', 'Assign'), Choices: [] },
      Rules: {
        ...wrong('Choice', 'Default', 'Assign'),
        Choices: [7, wrong('', 'Comment', 'Condition', 'Next', 'Assign'), {}],
      },
      Wait: wrong('Wait', ...goesOn, 'Seconds', 'Timestamp'),
      Task: {
        ...wrong('Task', ...goesOn, 'Resource', 'TimeoutSeconds', 'HeartbeatSeconds'),
        Retry: [
          wrong(
            '',
            'Comment',
            'IntervalSeconds',
            'MaxAttempts',
            'BackoffRate',
            'MaxDelaySeconds',
            'JitterStrategy',
          ),
          { ErrorEquals: [] },
        ],
        Catch: [wrong('', 'Comment', 'ErrorEquals', 'Next', 'Assign'), {}],
      },
      Parallel: { ...wrong('Parallel', ...goesOn), Branches: [], Retry: 7, Catch: 7 },
      Map: {
        ...wrong(
          'Map',
          ...goesOn,
          ...canFail,
          'ItemProcessor',
          'MaxConcurrency',
          'ToleratedFailureCount',
          'ToleratedFailurePercentage',
        ),
        Items: 7,
      },
      Lacking: { Type: 'Map' },
      LackingTask: { Type: 'Task' },
      LackingParallel: { Type: 'Parallel' },
      LackingChoice: { Type: 'Choice' },
      Typeless: {},
    };
    const problems = problemsOf(definitionOf(states)).filter((each) => !each.includes('no state leads to'));
    expect(problems.map((each) => each.replace('/States/', ''))).toEqual([
      'Pass/Next: expected text but found [7]',
      'Pass/End: expected true but found [7]',
      'Pass/Assign: expected object but found [7]',
      'Pass/Comment: expected text but found [7]',
      'Pass: one of Next and End is needed, and only one',
      'Succeed/Next: the field "Next" is not supported',
      'Fail/Error: expected text or expression but found [7]',
      'Fail/Cause: expected text or expression but found [7]',
      'Fail/End: the field "End" is not supported',
      'Choice/Default: expected text but found [7]',
      'Choice/Assign: expected object but found [7]',
      'Choice/Choices: expected non-empty list but found []',
      'Rules/Default: expected text but found [7]',
      'Rules/Assign: expected object but found [7]',
      'Rules/Choices/0: expected an object but found 7',
      'Rules/Choices/1/Type: the field "Type" is not supported',
      'Rules/Choices/1/Comment: expected text but found [7]',
      'Rules/Choices/1/Condition: expected condition in {% %} but found [7]',
      'Rules/Choices/1/Next: expected text but found [7]',
      'Rules/Choices/1/Assign: expected object but found [7]',
      'Rules/Choices/2: the field "Condition" is missing',
      'Rules/Choices/2: the field "Next" is missing',
      'Wait/Next: expected text but found [7]',
      'Wait/End: expected true but found [7]',
      'Wait/Assign: expected object but found [7]',
      'Wait/Seconds: expected integer of 0 or more or expression but found [7]',
      'Wait/Timestamp: expected timestamp or expression but found [7]',
      'Wait: one of Next and End is needed, and only one',
      'Wait: one of Seconds and Timestamp is needed, and only one',
      'Task/Next: expected text but found [7]',
      'Task/End: expected true but found [7]',
      'Task/Assign: expected object but found [7]',
      'Task/Resource: expected text but found [7]',
      'Task/TimeoutSeconds: expected positive integer or expression but found [7]',
      'Task/HeartbeatSeconds: expected positive integer or expression but found [7]',
      'Task: one of Next and End is needed, and only one',
      'Task/Retry/0/Type: the field "Type" is not supported',
      'Task/Retry/0/Comment: expected text but found [7]',
      'Task/Retry/0/IntervalSeconds: expected positive integer but found [7]',
      'Task/Retry/0/MaxAttempts: expected integer of 0 or more but found [7]',
      'Task/Retry/0/BackoffRate: expected number of 1 or more but found [7]',
      'Task/Retry/0/MaxDelaySeconds: expected positive integer but found [7]',
      'Task/Retry/0/JitterStrategy: expected FULL or NONE but found [7]',
      'Task/Retry/0: the field "ErrorEquals" is missing',
      'Task/Retry/1/ErrorEquals: expected list of error names but found []',
      'Task/Catch/0/Type: the field "Type" is not supported',
      'Task/Catch/0/Comment: expected text but found [7]',
      'Task/Catch/0/ErrorEquals: expected list of error names but found [7]',
      'Task/Catch/0/Next: expected text but found [7]',
      'Task/Catch/0/Assign: expected object but found [7]',
      'Task/Catch/1: the field "ErrorEquals" is missing',
      'Task/Catch/1: the field "Next" is missing',
      'Parallel/Next: expected text but found [7]',
      'Parallel/End: expected true but found [7]',
      'Parallel/Assign: expected object but found [7]',
      'Parallel/Branches: expected non-empty list but found []',
      'Parallel/Retry: expected list but found 7',
      'Parallel/Catch: expected list but found 7',
      'Parallel: one of Next and End is needed, and only one',
      'Map/Next: expected text but found [7]',
      'Map/End: expected true but found [7]',
      'Map/Assign: expected object but found [7]',
      'Map/ItemProcessor: expected object but found [7]',
      'Map/MaxConcurrency: expected integer of 0 or more or expression but found [7]',
      'Map/ToleratedFailureCount: expected integer of 0 or more or expression but found [7]',
      'Map/ToleratedFailurePercentage: expected percentage or expression but found [7]',
      'Map/Items: expected list or expression but found 7',
      'Map: one of Next and End is needed, and only one',
      'Map/Retry/0: expected an object but found 7',
      'Map/Catch/0: expected an object but found 7',
      'Lacking: the field "ItemProcessor" is missing',
      'Lacking: one of Next and End is needed, and only one',
      'LackingTask: the field "Resource" is missing',
      'LackingTask: one of Next and End is needed, and only one',
      'LackingParallel: the field "Branches" is missing',
      'LackingParallel: one of Next and End is needed, and only one',
      'LackingChoice: the field "Choices" is missing',
      'Typeless/Type: the type is missing, only Pass, Succeed, Fail, Choice, Wait, Task, Parallel, Map',
    ]);
  });

  const refusals: [what: string, definition: Json, problem: string][] = [
    ['that is no object', [], '/: a definition must be an object'],
    [
      'with a state that is no object',
      { ...definitionOf({}), States: { It: [] } },
      '/States/It: a state must be an object',
    ],
    [
      'that cannot end',
      definitionOf({ It: { Type: 'Pass', Next: 'Two' }, Two: { Type: 'Pass', Next: 'It' } }),
      '/States: no state ends',
    ],
    [
      'with too long a name',
      definitionOf({ ['x'.repeat(81)]: end }),
      `/States/${'x'.repeat(81)}: the name has more than 80 characters`,
    ],
    [
      'without a start',
      { QueryLanguage: 'JSONata', States: { It: end } },
      '/: the field "StartAt" is missing',
    ],
    ['with an unknown field', { ...only(end), Extra: 1 }, '/Extra: the field "Extra" is not supported'],
    [
      'in JSONPath',
      { StartAt: 'It', States: { It: end } },
      '/States/It: the query language "JSONPath" is not supported; use "JSONata"',
    ],
    [
      'with a state in JSONPath',
      only({ ...end, QueryLanguage: 'JSONPath' }),
      '/States/It: the query language "JSONPath" is not supported; use "JSONata"',
    ],
    [
      'with a field of JSONPath',
      only({ ...end, InputPath: '$' }),
      '/States/It/InputPath: the field "InputPath" is not supported',
    ],
    [
      'with an unknown field in a catcher',
      definitionOf({ It: invoke('f', { Catch: [{ ErrorEquals: ['A'], ResultPath: '$', Next: 'It' }] }) }),
      '/States/It/Catch/0/ResultPath: the field "ResultPath" is not supported',
    ],
    [
      'of an unknown type of state',
      only({ Type: 'Loop' }),
      '/States/It/Type: there is no type "Loop", only Pass, Succeed, Fail, Choice, Wait, Task, Parallel, Map',
    ],
    [
      'with an activity',
      only({ ...end, Type: 'Task', Resource: 'arn:aws:states:us-east-1:123456789012:activity:a' }),
      '/States/It/Resource: the resource "arn:aws:states:us-east-1:123456789012:activity:a" is not supported, only a Lambda function\'s ARN, lambda:invoke, states:startExecution and aws-sdk:sfn:startSyncExecution',
    ],
    [
      'with another service',
      only({ ...end, Type: 'Task', Resource: 'arn:aws:states:::sqs:sendMessage' }),
      '/States/It/Resource: the resource "arn:aws:states:::sqs:sendMessage" is not supported, only a Lambda function\'s ARN, lambda:invoke, states:startExecution and aws-sdk:sfn:startSyncExecution',
    ],
    [
      'with an unknown argument',
      only({
        ...end,
        Type: 'Task',
        Resource: INVOKE,
        Arguments: { FunctionName: 'f', InvocationType: 'Event' },
      }),
      '/States/It/Arguments/InvocationType: the argument "InvocationType" is not supported',
    ],
    [
      'with a distributed Map',
      only(map({}, { ProcessorConfig: { Mode: 'DISTRIBUTED' } })),
      '/States/It/ItemProcessor/ProcessorConfig/Mode: "DISTRIBUTED" is not supported, only "INLINE"',
    ],
    [
      'with a reader of items',
      only(map({ ItemReader: {} })),
      '/States/It/ItemReader: the field "ItemReader" is not supported',
    ],
    [
      'that leads nowhere',
      only({ Type: 'Pass', Next: 'Gone' }),
      '/States/It/Next: there is no state "Gone" to go to',
    ],
    [
      'with a state that nothing leads to',
      definitionOf({ It: end, Lost: end }),
      '/States/Lost: no state leads to "Lost"',
    ],
    [
      'that both goes on and ends',
      definitionOf({ It: { ...end, Next: 'Two' }, Two: end }),
      '/States/It: one of Next and End is needed, and only one',
    ],
    [
      'with two states of a name',
      only(map({}, { StartAt: 'It', States: { It: end } })),
      '/States/It/ItemProcessor/States/It: there is another state named "It"',
    ],
    [
      'with a timeout of no length',
      only(invoke('f', { TimeoutSeconds: 0 })),
      '/States/It/TimeoutSeconds: expected positive integer or expression but found 0',
    ],
    [
      'with a heartbeat as long as the timeout',
      only(invoke('f', { TimeoutSeconds: 5, HeartbeatSeconds: 5 })),
      '/States/It/HeartbeatSeconds: HeartbeatSeconds must be less than TimeoutSeconds',
    ],
    [
      'that tolerates less than no failure',
      only(map({ ToleratedFailurePercentage: -1 })),
      '/States/It/ToleratedFailurePercentage: expected percentage or expression but found -1',
    ],
    [
      'that tolerates more than all failures',
      only(map({ ToleratedFailurePercentage: 101 })),
      '/States/It/ToleratedFailurePercentage: expected percentage or expression but found 101',
    ],
    [
      'with a time that is none',
      only({ Type: 'Wait', Timestamp: '2016-03-14', End: true }),
      '/States/It/Timestamp: expected timestamp or expression but found "2016-03-14"',
    ],
    ...[78, 79].map((length): [string, Json, string] => [
      `with ${length} characters where none of them belong`,
      only({ Type: 'Wait', Seconds: 'x'.repeat(length), End: true }),
      `/States/It/Seconds: expected integer of 0 or more or expression but found ${
        length === 78 ? `"${'x'.repeat(78)}"` : `"${'x'.repeat(76)}...`
      }`,
    ]),
    [
      'that waits twice',
      only({ Type: 'Wait', Timestamp: '2016-03-14T00:00:00Z', Seconds: 1, End: true }),
      '/States/It: one of Seconds and Timestamp is needed, and only one',
    ],
    [
      'whose catch-all is not the last',
      only(invoke('f', { Retry: [{ ErrorEquals: ['States.ALL'] }, { ErrorEquals: ['A'] }] })),
      '/States/It/Retry/0/ErrorEquals: States.ALL must be alone and in the last place',
    ],
    [
      'with an expression that is none',
      only({ ...end, Output: '{% 1 + %}' }),
      '/States/It/Output: the expression cannot be read: Unexpected end of expression: {% 1 + %}',
    ],
    [
      'with an expression that is not closed',
      only({ ...end, Output: { a: ['{% 1'] } }),
      '/States/It/Output/a/0: an expression must begin with {% and end with %}; this one does not: {% 1',
    ],
    [
      'with an expression that is followed by a blank',
      only({ ...end, Output: '{% 1 %} ' }),
      '/States/It/Output: an expression must begin with {% and end with %}; this one does not: {% 1 %} ',
    ],
    [
      'with a text around {% %} where an expression is needed',
      only({ Type: 'Wait', Seconds: ' {% 1 %} ', End: true }),
      '/States/It/Seconds: expected integer of 0 or more or expression but found " {% 1 %} "',
    ],
    [
      'with an operator newer than JSONata 2.0.6',
      only({ ...end, Output: '{% $states.input ?? 1 %}' }),
      '/States/It/Output: the expression cannot be read: The symbol "?" cannot be used as a unary operator: {% $states.input ?? 1 %}',
    ],
    [
      'with a bare path',
      only({ ...end, Output: '{% {"a": input.b} %}' }),
      '/States/It/Output: the path "input" has nothing to start from: begin it with a variable, such as $states.input',
    ],
    [
      'with $ for the input',
      only({ ...end, Output: '{% $.a %}' }),
      '/States/It/Output: $ stands for nothing here: use $states.input',
    ],
    [
      'with a result before there is one',
      only(invoke('f', { Arguments: '{% $states.result %}' })),
      '/States/It/Arguments: $states.result cannot be used here, only $states.input, $states.context',
    ],
    [
      'with a result where there is none',
      only({ ...end, Output: '{% $states.result %}' }),
      '/States/It/Output: $states.result cannot be used here, only $states.input, $states.context',
    ],
    [
      'with an error where there is none',
      only(invoke('f', { Output: '{% $states.errorOutput %}' })),
      '/States/It/Output: $states.errorOutput cannot be used here, only $states.input, $states.context, $states.result',
    ],
    [
      'that names a variable states',
      only({ ...end, Assign: { states: 1 } }),
      '/States/It/Assign/states: "states" cannot be the name of a variable',
    ],
    [
      'that sets an outer variable within',
      only(map({ Assign: { v: 1 } }, { States: { One: { ...end, Assign: { v: 2 } } } })),
      '/States/It/ItemProcessor/States/One: assigns the variable "v", which belongs to an outer scope and is read-only',
    ],
    [
      'that sets an outer variable in a branch, even before it is set',
      only({
        Type: 'Parallel',
        Branches: [{ StartAt: 'One', States: { One: { ...end, Assign: { v: 2 } } } }],
        Assign: { v: 1 },
        End: true,
      }),
      '/States/It/Branches/0/States/One: assigns the variable "v", which belongs to an outer scope and is read-only',
    ],
  ];
  it.each(refusals)('%s is refused', (_, definition, problem) => {
    expect(problemsOf(definition)).toContain(problem);
    const machines = machinesWith();
    expect(() =>
      machines.createStateMachine({ name: 'm', definition: JSON.stringify(definition), roleArn: ROLE }),
    ).toThrow(
      expect.objectContaining({
        name: 'InvalidDefinition',
        message: expect.stringContaining(problem.slice(problem.indexOf(': ') + 2)),
      }),
    );
  });

  it.each([
    ['$nobody', 'no state assigns the variable $nobody'],
    ['$nope(1)', 'no state assigns the variable $nope'],
    ['$eval("1")', 'the service has no function $eval'],
  ])('with %s is warned about, and accepted as by the service', (expression, message) => {
    const definition = only({ ...end, Output: `{% ${expression} %}` });
    expect(checkDefinition(definition)).toEqual([
      { severity: 'WARNING', code: 'UNDEFINED_VARIABLE', location: '/States/It/Output', message },
    ]);
    expect(
      machinesWith().createStateMachine({ name: 'm', definition, roleArn: ROLE }).stateMachineArn,
    ).toContain(':stateMachine:m');
  });

  it('with a name as long as may be is accepted', () => {
    expect(checkDefinition(definitionOf({ ['x'.repeat(80)]: end }))).toEqual([]);
  });

  it.each([
    [{ Type: 'Loop' }, 'expected a type of state but found "Loop"'],
    [{ Type: 'Wait', End: true }, 'expected a time to wait for but found undefined'],
    [{ Type: 'Task', Resource: 'x', End: true }, 'expected a resource but found "x"'],
    [{ Type: 'Task', End: true }, 'expected Resource but found undefined'],
    [{ Type: 'Map', End: true }, 'expected an object but found undefined'],
  ])('that is taken unchecked is refused where it cannot be read: %j', (state, message) => {
    const machines = machinesWith({}, { checkDefinition: () => [] });
    const create = () => machines.createStateMachine({ name: 'm', definition: only(state), roleArn: ROLE });
    expect(create).toThrow(new TypeError(message));
  });

  it('that is no JSON is refused', () => {
    expect(() => machinesWith().createStateMachine({ name: 'm', definition: '{', roleArn: ROLE })).toThrow(
      expect.objectContaining({ name: 'InvalidDefinition' }),
    );
  });
});
