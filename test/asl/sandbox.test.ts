import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { parseJsonata } from '../../src/asl/expressions/evaluator.ts';
import { systemClock } from '../../src/asl/executions/ports.ts';
import { Expression } from '../../src/asl/expressions/expression.ts';
import { definitionOf, machinesWith, ROLE, run } from './harness.ts';
import { cases } from '../fixtures/cases.ts';

const CODE = '"globalThis.escaped = true"';
const input = { a: 1, list: [{ a: 1 }, { a: 2 }] };

afterEach(() => {
  Reflect.deleteProperty(globalThis, 'escaped');
});

/** The outcome of an expression: `refused` with its definition, or the error or output of an execution. */
async function outcomeOf(source: string): Promise<string> {
  const definition = definitionOf({ It: { Type: 'Pass', Output: `{% ${source} %}`, End: true } });
  try {
    machinesWith().createStateMachine({ name: 'attack', definition, roleArn: ROLE });
  } catch (error) {
    return error instanceof Error && /is a name of JavaScript/.test(error.message)
      ? 'refused'
      : String(error);
  }
  const { execution } = await run(definition, { input });
  return execution.error ?? JSON.stringify(execution.output);
}

describe('an expression that leaves its data', () => {
  it.each([
    '$states.input.constructor',
    '$states.input.`constructor`',
    '$states.input."constructor"',
    '$states.input.__proto__',
    '$states.input.list.toString',
    '$states.input.constructor.constructor',
    '$states.input.__lookupGetter__("__proto__")',
    '($__proto__ := $states.input; 1)',
    'function($hasOwnProperty){ $constructor }($map)',
    '$states.input.list@$hasOwnProperty.a',
    '$states.input.list#$__proto__.a',
    '{"_jsonata_lambda": true}()',
    '$states.input{"hasOwnProperty": a}',
    '{"a": {"b": [$map.constructor]}}',
  ])('is refused by its name: %s', async (source) => {
    expect(await outcomeOf(source)).toBe('refused');
  });

  it.each([
    '$lookup($states.input, "constructor")',
    '$lookup($states.input, "__proto__")',
    '$lookup($states.input.list, "__lookupGetter__")',
    '$lookup($states.input, "const" & "ructor")',
    `($f := $lookup($lookup($map, "implementation"), "constructor"); $f(${CODE})())`,
    '$lookup([$map], "implementation")',
    '$lookup([function(){1}], "environment")',
    '$map.*',
    '$now.*',
    '$millis.*',
    '$uuid.*',
    '$lookup.*',
    '[$map, $sum].*',
    '$map.implementation',
    '$map.**.implementation',
    'function($x){ $x }.*',
    '$substring(?, 1).*',
    '(|$|{}|).*',
    '($uppercase ~> $trim).*',
    '($f := /a/; $g := /b/; $h := $f ~> $g; $h.*)',
    '(function($f){ $f.* })($map)',
    '$each($map, function($v){ $v })',
    '$sift($map, function($v){ true })',
    '$merge([$map]).implementation',
    '$merge([$map, {"a": 1}]).implementation',
    '$spread(function(){ 1 }).environment',
    '$spread($map).implementation',
    '{"_jsonata_" & "lambda": true, "arguments": [], "body": {"type": "name", "value": "constructor"}}()',
    '{"_jsonata_" & "function": true, "implementation": /a/}()',
    '$parse("{\\"_jsonata_lambda\\":true,\\"arguments\\":[],\\"body\\":{\\"type\\":\\"value\\"}}")()',
    '$states.input{"has" & "OwnProperty": $map}',
    '{"tupleStream": true, "hasOwn" & "Property": $map}{"a": $constructor1}',
    '({} ~> |$map|{"_jsonata_" & "function": false}|)',
    '({} ~> |$map|{"implementation": /a/}|)',
    '([[1]] ~> |$states.input.list|{"_jsonata_" & "lambda": true}|)',
    '([[1],[2]] ~> |[$]|{"tupleStream": true}|)',
    `($lg := $lookup($states.input, "__lookupGetter__"); $gp := $states.input.($lg("__proto__")); $async := $map.*[$type($) = "function"][0]; $AP := $async.($gp()); $AF := $lookup($AP, "constructor"); $f := $AF(${CODE}); $f())`,
    `($P := $lookup({}, "__proto__"); $lg := $lookup({}, "__lookupGetter__"); $g := $P.($lg("__proto__")); $a := $lookup($map, "implementation"); $AF := $lookup($a.($g()), "constructor"); $AF(${CODE})())`,
    '$eval("1")',
    '$pad("x", 400000000)',
    '$count([1..9000000])',
    '$count([1..9000000].[1..100])',
    '$count([1..200000].[1..100])',
  ])('fails, and runs nothing: %s', async (source) => {
    expect(await outcomeOf(source)).toBe('States.QueryEvaluationError');
    expect('escaped' in globalThis).toBe(false);
    expect(await outcomeOf('$map([1, 2], $string)')).toBe('["1","2"]');
  });

  it('never reaches a member that its data does not have', async () => {
    const inherited = Object.getOwnPropertyNames(Object.prototype);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...inherited), fc.jsonValue(), async (name, value) => {
        const found = new Expression('[$lookup($x, $name)]', 'Output');
        expect(
          await found.evaluate(
            { variables: { x: JSON.parse(JSON.stringify({ value })), name }, states: {} },
            systemClock,
          ),
        ).toEqual([]);
        expect(() => parseJsonata(`$x.${name}`)).toThrow('is a name of JavaScript');
        await expect(async () =>
          new Expression(`$states.${name}`, 'Output').evaluate(EMPTY, systemClock),
        ).rejects.toThrow('is a name of JavaScript');
      }),
      { numRuns: cases(50) },
    );
  });
});

const EMPTY = { variables: {}, states: {} };

describe('an expression that keeps to its data', () => {
  it.each([
    ['$lookup($states.input.list, "a")', [1, 2]],
    ['$lookup($states.input, "a")', 1],
    ['$lookup($states.input.list[0], "a")', 1],
    ['$map($states.input.list, function($i){ $i.a * 2 })', [2, 4]],
    ['$states.input.list.$lookup($, "a")', [1, 2]],
    ['$states.input ~> |list|{"b": a}, ["a"]|', { a: 1, list: [{ b: 1 }, { b: 2 }] }],
    ['($up := $uppercase ~> $trim; $up(" b "))', 'B'],
    ['($first := $substring(?, 0, 1); $map(["ab", "cd"], $first))', ['a', 'c']],
    ['$states.input.list{$string(a): a}', { 1: 1, 2: 2 }],
    ['$reduce([1..4], function($i, $j){ $i + $j })', 10],
    ['[$pad("a", 3, "#-"), $pad("a", -3), $pad("abc", 2), $pad("a", 2, "")]', ['a#-', '  a', 'abc', 'a ']],
    ['$states.input.*.a', [1, 2]],
    ['"constructor" = "constructor"', true],
  ])('is evaluated: %s', async (source, value) => {
    expect(JSON.parse(await outcomeOf(source))).toEqual(value);
  });
});
