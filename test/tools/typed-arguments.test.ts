import { describe, expect, test } from 'vitest';
import { RefusedCall } from '../../src/core/tool-contracts/arguments.ts';
import {
  booleanArgument,
  folderArgument,
  integerArgument,
  optionalTextArgument,
  pathArgument,
  textArgument,
} from '../../src/tools/typed-arguments.ts';

const LONG = 'x'.repeat(4_097);

/** What a reader makes of arguments: a value, or the words with which it refuses them. */
function read(reader: () => unknown): unknown {
  try {
    return reader();
  } catch (thrown) {
    if (thrown instanceof RefusedCall) return thrown.message;
    throw thrown;
  }
}

describe('an argument is read as a model means it, and refused where that is not plain', () => {
  test.each([
    [undefined, 'argument "a" is required', undefined],
    [null, 'argument "a" is required', undefined],
    ['', '', undefined],
    ['12345', '12345', '12345'],
    [
      '123456',
      'argument "a" has 6 characters, at most 5 are allowed',
      'argument "a" has 6 characters, at most 5 are allowed',
    ],
    [7, 'argument "a" must be text, not 7', 'argument "a" must be text, not 7'],
    [[], 'argument "a" must be text, not a list', 'argument "a" must be text, not a list'],
    [{}, 'argument "a" must be text, not an object', 'argument "a" must be text, not an object'],
    [false, 'argument "a" must be text, not false', 'argument "a" must be text, not false'],
  ])('a text: %j', (a, needed, optional) => {
    expect(read(() => textArgument({ a }, 'a', 5))).toBe(needed);
    expect(read(() => optionalTextArgument({ a }, 'a', 5))).toBe(optional);
  });

  test.each([
    [{ path: 'a', file_path: 'b' }, 'a', 'a'],
    [{ file_path: 'b' }, 'b', 'b'],
    [{ path: null, file_path: 'b' }, 'b', 'b'],
    [{ path: '' }, '', '.'],
    [{}, 'argument "path" is required', '.'],
    [{ path: 'x'.repeat(4_096) }, 'x'.repeat(4_096), 'x'.repeat(4_096)],
    [
      { path: LONG },
      'argument "path" has 4097 characters, at most 4096 are allowed',
      'argument "path" has 4097 characters, at most 4096 are allowed',
    ],
  ])('a path: %j', (args, path, folder) => {
    expect(read(() => pathArgument(args))).toBe(path);
    expect(read(() => folderArgument(args))).toBe(folder);
  });

  test.each([
    [undefined, 3],
    [null, 3],
    ['', 3],
    [1, 1],
    [' 2 ', 2],
    ['1e1', 10],
    [0, 'argument "a" must be a whole number of at least 1, not 0'],
    [1.5, 'argument "a" must be a whole number of at least 1, not 1.5'],
    [2 ** 53, 'argument "a" must be a whole number of at least 1, not 9007199254740992'],
    [' ', 'argument "a" must be a whole number of at least 1, not " "'],
    ['x'.repeat(50), `argument "a" must be a whole number of at least 1, not "${'x'.repeat(50)}"`],
    ['x'.repeat(51), 'argument "a" must be a whole number of at least 1, not a text'],
    [true, 'argument "a" must be a whole number of at least 1, not true'],
  ])('a whole number: %j', (a, number) => {
    expect(read(() => integerArgument({ a }, 'a', { least: 1, fallback: 3 }))).toBe(number);
  });

  test('a whole number without a least one', () => {
    expect(read(() => integerArgument({ a: -5 }, 'a', { fallback: 3 }))).toBe(-5);
    expect(read(() => integerArgument({ a: 'x' }, 'a', { fallback: 3 }))).toBe(
      'argument "a" must be a whole number, not "x"',
    );
  });

  test.each([
    [undefined, false],
    [null, false],
    ['', false],
    [true, true],
    [false, false],
    [' TRUE ', true],
    ['False', false],
    ['yes', 'argument "a" must be true or false, not "yes"'],
    [1, 'argument "a" must be true or false, not 1'],
  ])('a truth: %j', (a, truth) => {
    expect(read(() => booleanArgument({ a }, 'a'))).toBe(truth);
  });
});
