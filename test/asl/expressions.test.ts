import fc from 'fast-check';
import jsonata from 'jsonata';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/json.ts';
import { systemClock } from '../../src/asl/executions/ports.ts';
import { Expression } from '../../src/asl/expressions/expression.ts';
import { copyJson } from '../../src/asl/expressions/json-value.ts';
import { definitionOf, invoke, run } from './harness.ts';
import { cases } from '../fixtures/cases.ts';

const end = { Type: 'Pass', End: true };
const entered = "An error occurred while executing the state 'It' (entered at the event id #2).";

/** How the state `It` fails, which may lead to a state `Next`. */
async function failureOf(state: { [field: string]: Json }, input: Json = {}) {
  const goesOn = 'Next' in state || 'Choices' in state;
  const { machines, execution } = await run(definitionOf({ It: state, ...(goesOn && { Next: end }) }), {
    input,
  });
  const failed = machines
    .getExecutionHistory({ executionArn: execution.executionArn })
    .find(({ type }) => type === 'EvaluationFailed');
  const { error, cause } = execution;
  return { event: failed?.['evaluationFailedEventDetails'], previous: failed?.previousEventId, error, cause };
}

/** Comparisons with what is not there, which is neither equal nor unequal to anything. */
const MISSING = ['=', '!='].flatMap((operator) =>
  [
    `$states.input.a ${operator} 1`,
    `1 ${operator} $states.input.a`,
    `$states.input.a ${operator} $states.input.b`,
    `$states.input.a ${operator} null`,
  ].map((source): [string, Json] => [source, {}]),
);

describe('a field whose expression fails', () => {
  const fails: [
    field: string,
    state: { [field: string]: Json },
    what: string,
    location: string,
    previous?: number,
  ][] = [
    [
      'Output in depth',
      { ...end, Output: { a: [1, { b: '{% $x %}' }] } },
      "The JSONata expression '$x' specified for the field 'Output/a[1]/b' returned nothing (undefined).",
      'Output/a[1]/b',
    ],
    [
      'Assign',
      { ...end, Assign: { v: '{% 1 + "a" %}' } },
      `The JSONata expression '1 + "a"' specified for the field 'Assign/v' threw an error during evaluation. T2002: The right side of the "+" operator must evaluate to a number`,
      'Assign/v',
    ],
    [
      'a condition',
      { Type: 'Choice', Choices: [{ Condition: '{% 1 %}', Next: 'Next' }] },
      "The JSONata expression '1' specified for the field 'Choices[0]/Condition' returned an unexpected result type. Expected 'boolean', but was 'number' for value: 1",
      'Choices[0]/Condition',
    ],
    [
      "a rule's Output",
      { Type: 'Choice', Choices: [{ Condition: '{% true %}', Output: '{% $x %}', Next: 'Next' }] },
      "The JSONata expression '$x' specified for the field 'Choices[0]/Output' returned nothing (undefined).",
      'Choices[0]/Output',
    ],
    [
      'Error',
      { Type: 'Fail', Error: '{% [1] %}' },
      "The JSONata expression '[1]' specified for the field 'Error' returned an unexpected result type. Expected 'string', but was 'array' for value: [1]",
      'Error',
    ],
    [
      'Seconds',
      { Type: 'Wait', Seconds: '{% "1" %}', End: true },
      `The JSONata expression '"1"' specified for the field 'Seconds' returned an unexpected result type. Expected 'number', but was 'string' for value: "1"`,
      'Seconds',
      2,
    ],
    [
      'Seconds below 0',
      { Type: 'Wait', Seconds: '{% -1 %}', End: true },
      'The Seconds field must be an integer from 0 to 99999999 but was: -1',
      'Seconds',
      2,
    ],
    [
      'Timestamp',
      { Type: 'Wait', Timestamp: '{% "2030-02-30T00:00:00Z" %}', End: true },
      'The Timestamp field cannot be parsed as an ISO-8601 extended offset date-time format string: 2030-02-30T00:00:00Z',
      'Timestamp',
      2,
    ],
    [
      'MaxConcurrency below 0',
      {
        Type: 'Map',
        MaxConcurrency: '{% -1 %}',
        Items: [1],
        ItemProcessor: { StartAt: 'One', States: { One: end } },
        Next: 'Next',
      },
      'The MaxConcurrency field must be an integer of 0 or more but was: -1',
      'MaxConcurrency',
    ],
    [
      'TimeoutSeconds',
      { ...invoke('f'), TimeoutSeconds: '{% null %}' },
      "The JSONata expression 'null' specified for the field 'TimeoutSeconds' returned an unexpected result type. Expected 'number', but was 'null' for value: null",
      'TimeoutSeconds',
    ],
    [
      'a function for a value',
      { ...end, Output: '{% {"f": $sum} %}' },
      `The JSONata expression '{"f": $sum}' specified for the field 'Output' returned an unsupported result type.`,
      'Output',
    ],
    [
      '$eval, which there is not',
      { ...end, Output: '{% $eval("1") %}' },
      `The JSONata expression '$eval("1")' specified for the field 'Output' threw an error during evaluation. T1006: Attempted to invoke a non-function`,
      'Output',
    ],
  ];
  it.each(fails)('%s', async (_, state, what, location, previous = 0) => {
    const error = 'States.QueryEvaluationError';
    const cause = `${entered} ${what}`;
    expect(await failureOf(state)).toEqual({
      event: { error, cause, location, state: 'It' },
      previous,
      error,
      cause,
    });
  });

  it('in a Map that is given no array', async () => {
    const map = { Type: 'Map', ItemProcessor: { StartAt: 'One', States: { One: end } }, Next: 'Next' };
    const cause = `${entered} Map state input must be an array but was: {"a":1}`;
    expect(await failureOf(map, { a: 1 })).toEqual({
      event: { error: 'States.QueryEvaluationError', cause, state: 'It' },
      previous: 0,
      error: 'States.QueryEvaluationError',
      cause,
    });
  });

  it('in a Choice of which no rule holds', async () => {
    const choice = { Type: 'Choice', Choices: [{ Condition: '{% false %}', Next: 'Next' }] };
    const { execution } = await run(definitionOf({ It: choice, Next: end }));
    expect(execution).toMatchObject({
      status: 'FAILED',
      error: 'States.Runtime',
      cause: `${entered} Failed to transition out of the state. The state does not point to a next state.`,
    });
  });

  it('after a task has succeeded follows on its success', async () => {
    const { events } = await run(
      definitionOf({ It: invoke('f', { Output: '{% $states.result.Payload.none %}' }) }),
      { functions: { f: () => ({}) } },
    );
    expect(events.slice(4)).toEqual(['5<-4 TaskSucceeded', '6<-5 EvaluationFailed', '7<-6 ExecutionFailed']);
  });
});

describe('an expression', () => {
  const outputOf = async (expression: string, input: Json = {}) =>
    (await run(definitionOf({ It: { ...end, Output: `{% ${expression} %}` } }), { input })).execution.output;

  it.each([
    ['$partition([1, 2, 3], 2)', [[1, 2], [3]]],
    ['$range(1, 9, 2)', [1, 3, 5, 7, 9]],
    ['$range(3, 1, -1)', [3, 2, 1]],
    ['$range(-1.7, 2.9, 1.5)', [-1, 0, 1, 2]],
    ['$range(3, 3, 1)', 3],
    ['$range(3, 3, 1)[]', [3]],
    ['$exists($range(3, 1, 1))', false],
    ['$exists($range(1, 3, 0))', false],
    ['$count($range(1, 360145, 1))', 360_145],
    ['$partition([1, 2], 5)', [[1, 2]]],
    ['$exists($partition([], 5))', false],
    ['$lookup([{"a": 1}, {"b": 2}], "a")', 1],
    ['$lookup([{"a": 1}, {"b": 2}], "a")[]', [1]],
    ['$parse("[3]")', [3]],
    ['$hash("input data", "SHA-1")', 'aaff4a450a104cd177d28d18d74485e8cae074b7'],
    ['$hash("")', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['$random(42)', 0.7275636800328681],
    ['$parse("{\\"a\\": [1]}")', { a: [1] }],
    ['1/0', 'Infinity'],
    ['[1..3]', [1, 2, 3]],
    ['[[1]]', [[1]]],
    ['$states.input.list[0]', 'a'],
    ['$states.input.list[$ = "b"]', 'b'],
    ['$states.input.list[$ = "b"][]', ['b']],
    ['$states.input.items.name', ['x', 'y']],
    ['$map($states.input.list, function($v) { $uppercase($v) })', ['A', 'B']],
    ['$states.context.State.Name', 'It'],
    ['$states.context.Execution.Name', 'run'],
    ['$states.context.StateMachine.Name', 'machine'],
    ['$exists($states.context.Task)', false],
  ])('%s gives %j', async (expression, output) => {
    expect(await outputOf(expression, { list: ['a', 'b'], items: [{ name: 'x' }, { name: 'y' }] })).toEqual(
      output,
    );
  });

  it('that asks for too long a range fails', async () => {
    const { execution } = await run(definitionOf({ It: { ...end, Output: '{% $range(1, 1e9, 1) %}' } }));
    expect(execution.cause).toContain(
      'Expression evaluation memory limit exceeded: Check for excessive memory usage',
    );
  });

  it('is a text that begins with {% and ends with %}, with no blanks around them', async () => {
    const Output = ['{% 1 %}', '{%\n1\n%}', ' {% 1 %} ', '\n{% 1 %}\n', 'a {% 1 %} b'];
    const { execution } = await run(definitionOf({ It: { ...end, Output } }));
    expect(execution.output).toEqual([1, 1, ...Output.slice(2)]);
  });

  it('sees the variables as they were before the state, in Output as in Assign', async () => {
    const { execution } = await run(
      definitionOf({
        First: { Type: 'Pass', Assign: { n: 1 }, Next: 'Second' },
        Second: {
          Type: 'Pass',
          Assign: { n: '{% $n + 1 %}', was: '{% $n %}' },
          Output: '{% $n %}',
          Next: 'Third',
        },
        Third: { Type: 'Pass', Output: '{% [$states.input, $n, $was] %}', End: true },
      }),
    );
    expect(execution.output).toEqual([1, 2, 1]);
  });

  it('gives values that no later expression can change, nor take apart', async () => {
    const { execution } = await run(
      definitionOf({
        Make: {
          Type: 'Pass',
          Assign: { made: '{% $states.input.list ~> $filter(function($v) { $v > 1 }) %}' },
          Next: 'Use',
        },
        Use: {
          Type: 'Pass',
          Output: { made: '{% $made %}', more: '{% $append($made, 4) %}', list: '{% $states.input.list %}' },
          End: true,
        },
      }),
      { input: { list: [1, 2, 3] } },
    );
    expect(execution.output).toEqual({ made: [2, 3], more: [2, 3, 4], list: [1, 2, 3] });
  });

  it('gives the same whether it is computed directly or by the evaluator', async () => {
    // Some of them mean something else to the parser.
    const name = fc.constantFrom('a', 'b', 'c', 'a_1', 'and', 'in', 'true', 'null', 'function');
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<Json>(null, true, false, 0, 1, -0.5, 1e21, '', 'x', '2026-02-03T04:05:06.789Z'),
        fc.array(tie('value'), { maxLength: 2 }),
        fc.dictionary(name, tie('value'), { noNullPrototype: true }),
      ),
    }));
    const step = fc.oneof(
      { weight: 3, arbitrary: name },
      name.map((list) => `${list}[0]`),
      name.map((list) => `${list}[1]`),
    );
    const path = fc.array(step, { maxLength: 3 }).map((names) => ['$states.input', ...names].join('.'));
    const constant = fc.constantFrom('"x"', '0', '1', 'true', 'false', 'null');
    const comparison = fc
      .tuple(fc.oneof(path, constant), fc.constantFrom('=', '!='), fc.oneof(path, constant))
      .map((parts) => parts.join(' '));
    const both = fc
      .tuple(comparison, fc.constantFrom('and', 'or'), fc.oneof(comparison, path))
      .map((parts) => parts.join(' '));
    const number = fc.constantFrom('0', '1', '2.5', '1e308');
    const sum = fc
      .tuple(fc.oneof(path, number), fc.constantFrom('+', '-', '*', '/', '>'), fc.oneof(path, number))
      .map((parts) => parts.join(' '));
    const operand = fc.oneof(path, number, sum);
    const call = fc.oneof(
      operand.map((given) => `$ceil(${given})`),
      fc
        .tuple(fc.constantFrom('max', 'min'), fc.array(operand, { maxLength: 3 }))
        .map(([called, items]) => `$${called}([${items.join(', ')}])`),
      path.map((given) => `$toMillis(${given})`),
      fc.constant('$toMillis("2026-02-03T04:05:06.789Z")'),
      fc.tuple(fc.constantFrom('count', 'exists'), path).map(([called, given]) => `$${called}(${given})`),
      fc.tuple(path, path).map(([one, other]) => `$append(${one}, ${other})`),
    );
    const joined = fc.tuple(operand, operand).map((parts) => parts.join(' & '));
    const choice = fc
      .tuple(fc.oneof(path, comparison), operand, joined)
      .map(([condition, then, otherwise]) => `(${condition} ? ${then} : ${otherwise})`);
    const part = fc
      .tuple(path, fc.constantFrom('0..0', '0..1', '1..9'))
      .map(([list, range]) => `[${list}[[${range}]]]`);
    const operator = fc.constantFrom('=', '!=', '>', '+', '-', '*', '/', '&', 'and', 'or');
    const chain = fc
      .tuple(operand, fc.array(fc.tuple(operator, fc.oneof(operand, call, constant)), { maxLength: 4 }))
      .map(([first, more]) => [first, ...more.flat()].join(' '));
    // Expressions that are read directly have to match the parser's reading, and those that it refuses have to be
    // refused.
    const words = (
      '$states $count $max . input a b and or in true null function ( ) [ ] { } .. , ? : = != > < + - * / & % 0 1 01 1e1 ' +
      '2.5 "x" \'y\' " `a` $ $$ @ # ; := ~> | ^'
    ).split(' ');
    const likely = '$states.input $states.input.a .a .b [0] 1 "x" = + ? : ( )'.split(' ');
    const soup = fc
      .array(fc.oneof(fc.constantFrom(...likely), fc.constantFrom(...words)), { minLength: 1, maxLength: 8 })
      .chain((tokens) => fc.constantFrom('', ' ').map((between) => tokens.join(between)));
    const any = fc.oneof(path, comparison, both, sum, call, joined, choice, part, chain, soup);
    await fc.assert(
      fc.asyncProperty(any, value, async (source, input) => {
        const variables = { states: { input } };
        const expected = await (async () => {
          const result: unknown = await jsonata(source).evaluate(undefined, variables);
          return result === undefined ? undefined : copyJson(result);
        })().catch(() => undefined);
        const actual = await (async () =>
          new Expression(source, 'Output').evaluate({ variables: {}, ...variables }, systemClock))().catch(
          () => undefined,
        );
        expect(actual).toEqual(expected);
      }),
      { numRuns: cases(1_000), examples: MISSING },
    );
  });
});

const EMPTY = { variables: {}, states: {} };

describe('the time of an expression', () => {
  const at = Date.parse('2031-05-06T07:08:09.010Z');

  it.each<[string, Json]>([
    ['$millis()', at],
    ['$now()', '2031-05-06T07:08:09.010Z'],
    ['$now("[Y]-[M01]")', '2031-05'],
    ['$fromMillis($toMillis("10:30", "[H01]:[m01]"))', '2031-05-06T10:30:00.000Z'],
    ['[1..2].$millis()', [at, at]],
    ['($f := $millis; $f())', at],
  ])('is that of the clock: %s', async (source, expected) => {
    expect(await new Expression(source, 'Output').evaluate(EMPTY, { ...systemClock, now: () => at })).toEqual(
      expected,
    );
  });

  it('stays the same throughout an evaluation', async () => {
    let time = at;
    const expression = new Expression(
      '$millis() - $millis() = 0 and $toMillis($now()) = $millis()',
      'Output',
    );
    expect(await expression.evaluate(EMPTY, { ...systemClock, now: () => time++ })).toBe(true);
    expect(time).toBe(at + 1);
  });

  it('goes by where a machine waits', async () => {
    const { execution } = await run({
      StartAt: 'Before',
      QueryLanguage: 'JSONata',
      States: {
        Before: { Type: 'Pass', Assign: { before: '{% $millis() %}' }, Next: 'Wait' },
        Wait: { Type: 'Wait', Seconds: 3600, Next: 'After' },
        After: { ...end, Output: '{% $millis() - $before %}' },
      },
    });
    expect(execution.output).toBe(3_600_000);
  });

  it('stands still while it is evaluated, however often other work gets its turn', async () => {
    const often = '{% $sum([1..30000].($ * 0)) + $millis() - $before %}';
    const { execution } = await run(
      definitionOf(
        {
          Before: { Type: 'Pass', Assign: { before: '{% $millis() %}' }, Next: 'Long' },
          Long: { Type: 'Pass', Output: often, Next: 'After' },
          After: { ...end, Output: '{% [$states.input, $millis() - $before] %}' },
        },
        { TimeoutSeconds: 60 },
      ),
    );
    expect(execution).toMatchObject({ status: 'SUCCEEDED', output: [0, 0] });
  });
});

describe('an expression that needs no evaluator', () => {
  const input = {
    n: 3,
    half: 0.5,
    text: 'a',
    yes: true,
    no: false,
    none: null,
    list: [1, 'b', null, { a: 1 }],
    lists: [[1], [2]],
    numbers: [0, 1, 2, 3],
    object: { a: { b: 'deep' } },
  };
  const scope = { variables: { v: 7, count_of: 2 }, states: { input }, time: 5 };

  /** What it gives, and whether it had the evaluator work. */
  async function evaluated(source: string) {
    let isDirect = true;
    const clock: typeof systemClock = {
      ...systemClock,
      now: () => 5,
      during(work) {
        isDirect = false;
        return systemClock.during(work);
      },
    };
    // Where nothing is to be waited for, what fails is thrown at once.
    const result = await (async () => new Expression(source, 'Output').evaluate(scope, clock))().catch(
      () => 'nothing',
    );
    return { result, isDirect };
  }

  it.each<[string, Json]>([
    ['$states.input.n', 3],
    ['$v', 7],
    [' $count_of ', 2],
    ['$states . input\n.object.a.b', 'deep'],
    ['$states.input.list[0]', 1],
    ['$states.input.list[3].a', 1],
    ['$states.input.list[9]', 'nothing'],
    ['$states.input.missing', 'nothing'],
    ['$states.input.missing[0]', 'nothing'],
    ['$states.input.missing.a', 'nothing'],
    ['$states.input.none.a', 'nothing'],
    ['$states.input.text.a', 'nothing'],
    ['0', 0],
    ['12.5', 12.5],
    ['"x"', 'x'],
    ["'y'", 'y'],
    ['""', ''],
    ['true', true],
    ['false', false],
    ['null', null],
    ['("x")', 'x'],
    ['1 + 2 * 3 - 4 / 2', 5],
    ['(1 + 2) * 3', 9],
    ['1 - 1 - 1', -1],
    ['8 / 2 / 2', 2],
    ['2 > 1', true],
    ['1 > 1', false],
    ['1 > 1.5', false],
    ['$states.input.n + 1 = 4', true],
    ['1 = 1', true],
    ['1 = "1"', false],
    ['1 != 2', true],
    ['"a" != "a"', false],
    ['null = null', true],
    ['$states.input.object = 1', false],
    ['$states.input.object != null', true],
    ['$states.input.missing = 1', false],
    ['$states.input.missing != 1', false],
    ['1 != $states.input.missing', false],
    ['$states.input.yes and $states.input.no', false],
    ['$states.input.no and $states.input.missing', false],
    ['$states.input.yes and 1 = 1', true],
    ['$states.input.yes or $states.input.missing', true],
    ['$states.input.no or $states.input.no', false],
    ['true or true and false', true],
    ['1 = 1 and 2 > 1', true],
    ['"a" & 1 & "b"', 'a1b'],
    ['$states.input.text & "-" & $states.input.n', 'a-3'],
    ['1 & 2', '12'],
    ['$states.input.yes ? "y" : "n"', 'y'],
    ['$states.input.no ? "y" : "n"', 'n'],
    ['1 > 2 ? 1 : 2 > 1 ? 3 : 4', 3],
    ['(true ? 1 : 2) + 1', 2],
    ['$append($states.input.numbers, $states.input.list)', [0, 1, 2, 3, 1, 'b', null, { a: 1 }]],
    ['$ceil(1.2)', 2],
    ['$count($states.input.list)', 4],
    ['$exists($states.input.missing)', false],
    ['$exists($states.input.none)', true],
    ['$max([1, 3, 2])', 3],
    ['$min([$v, 3])', 3],
    ['$millis()', 5],
    ['$millis() - 5', 0],
    ['$toMillis("1970-01-01T00:00:00.010Z")', 10],
    ['[$states.input.numbers[[1..2]]]', [1, 2]],
    ['[$states.input.numbers[[3..9]]]', [3]],
    ['$count([$states.input.numbers[[0..1]]])', 2],
  ])('is computed directly: %s', async (source, result) => {
    expect(await evaluated(source)).toEqual({ result, isDirect: true });
  });

  it.each<[string, Json]>([
    ['$unknown', 'nothing'],
    ['$states.input.toString', 'nothing'],
    ['$states.input.list.a', 1],
    ['$states.input.lists[1]', [2]],
    ['$states.input.n[0]', 3],
    ['$states.input.object[0].a.b', 'deep'],
    ['$states.input.list[-1]', { a: 1 }],
    ['$states.input.numbers[$ > 2]', 3],
    ['$states.input.missing + 1', 'nothing'],
    ['"a" + 1', 'nothing'],
    ['1 / 0', 'Infinity'],
    ['1 > "a"', 'nothing'],
    ['$states.input.half & "a"', '0.5a'],
    ['$states.input.yes & "a"', 'truea'],
    ['$states.input.missing & "a"', 'a'],
    ['$states.input.n ? 1 : 2', 1],
    ['$states.input.missing ? 1 : 2', 2],
    ['$states.input.yes ? 1', 1],
    ['$states.input.n and true', true],
    ['$states.input.object = $states.input.object', true],
    ['$states.input.list != $states.input.numbers', true],
    ['$append(1, 2)', [1, 2]],
    ['$append($states.input.numbers, 4)', [0, 1, 2, 3, 4]],
    ['$append(4, $states.input.numbers)', [4, 0, 1, 2, 3]],
    ['$count($states.input.n)', 1],
    ['$count($states.input.missing)', 0],
    ['$exists($states.input.list.missing)', false],
    ['$exists($states.input.list.a)', true],
    ['$ceil($states.input.missing)', 'nothing'],
    ['$ceil(1, 2)', 'nothing'],
    ['$count($states.input.list, 1)', 'nothing'],
    ['$append($states.input.list, $states.input.list, 1)', 'nothing'],
    ['$max([])', 'nothing'],
    ['$max($states.input.numbers)', 3],
    ['$max(1, 2)', 'nothing'],
    ['$millis(1)', 'nothing'],
    ['$toMillis("1970-01-01")', 0],
    ['$toMillis("1970-13-01T00:00:00.010Z")', 'NaN'],
    ['$toMillis("1970", "[Y]")', 0],
    ['$sum([1, 2])', 3],
    ['[$states.input.lists[[0..1]]]', [[1], [2]]],
    ['[$states.input.n[[0..1]]]', [3]],
    ['[1, 2]', [1, 2]],
    ['$v.a[[0..1]]', 'nothing'],
    ['1 < 2', true],
    ['1 + ', 'nothing'],
    ['1 2', 'nothing'],
    ['01', 'nothing'],
    ['(1', 'nothing'],
    ['$count(1', 'nothing'],
    ['$count(1 2)', 'nothing'],
    ['a', 'nothing'],
    ['$', 'nothing'],
    ['"a\\n"', 'a\n'],
    ['"a', 'nothing'],
    ['', 'nothing'],
  ])('is left to the evaluator: %s', async (source, result) => {
    expect(await evaluated(source)).toEqual({ result, isDirect: false });
  });
});
