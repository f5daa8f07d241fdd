import { expect, test } from 'vitest';
import { matchesCommand } from '../../../src/core/agent-schema/command-rule.ts';

test('a pattern for commands looks for what stands before a program in a time that grows with its length', () => {
  const long = [
    ' ',
    '{',
    '-',
    '- ',
    'A=1 ',
    '1 ',
    'sudo ',
    'A=',
    '\\',
    '{a,',
    '> ',
    '<<',
    'sudo -',
    '"',
    "'",
    '"\\\\"',
    'time -p ',
    'time -f ',
    '$(',
    '${',
    '`',
    '$A',
    'a[',
  ].map((part) => part.repeat(50_000));
  long.push(`{${','.repeat(50_000)}`, `sudo ${'a -b -c -d -e '.repeat(10_000)}`);
  expect(long.map((command) => matchesCommand('rm *', command, false))).toEqual(long.map(() => false));
});
