import { describe, expect, test } from 'vitest';
import type { ToolRules } from '../../../src/core/records/call.ts';
import { isOffered, judge, loadPermissions } from '../../../src/core/tool-contracts/permissions.ts';

const definition = (name: string) => ({
  name,
  description: '',
  parameters: { type: 'object' as const, properties: {}, required: [] },
});
const read = { definition: definition('read_file'), writes: false, subjectIs: 'path' as const };
const write = { definition: definition('write_file'), writes: true, subjectIs: 'path' as const };
const command = { definition: definition('run_command'), writes: true, subjectIs: 'command' as const };

const rules = (
  given: Readonly<Partial<{ [Key in keyof ToolRules]: Readonly<ToolRules[Key]> }>>,
): ToolRules => ({
  mode: 'auto',
  allow: [],
  ask: [],
  deny: [],
  allowedHosts: [],
  ...given,
});
const ASK = 'needs approval';
const DENIED = (tool: string, rule: string) => ({
  refusal: `Permission denied: "${tool}" is denied by the rule ${rule}.`,
});

describe('a call', () => {
  test.each([
    ['that nothing is said of is allowed', write, 'a', {}, 'allowed'],
    ['that only reads is allowed in mode ask', read, 'a', { mode: 'ask' }, 'allowed'],
    ['that writes needs approval in mode ask', write, 'a', { mode: 'ask' }, ASK],
    [
      'that is allowed needs none',
      write,
      'docs/a',
      { mode: 'ask', allow: ['write_file(docs/**)'] },
      'allowed',
    ],
    [
      'of another pattern than is allowed needs approval',
      write,
      'src/a',
      { mode: 'ask', allow: ['write_file(docs/**)'] },
      ASK,
    ],
    [
      'that has to be approved is not allowed by a later list',
      read,
      'a',
      { ask: ['read_file'], allow: ['*'] },
      ASK,
    ],
    [
      'that is denied is denied, regardless of other rules',
      read,
      'x/.env.local',
      { allow: ['*'], ask: ['read_file'], deny: ['read_file(.env*)'] },
      DENIED('read_file', 'read_file(.env*)'),
    ],
    ['of another file than is denied is allowed', read, 'env', { deny: ['read_file(.env*)'] }, 'allowed'],
    [
      'that says not what it is about is denied where anything like it is',
      command,
      undefined,
      { deny: ['run_command(rm *)'] },
      DENIED('run_command', 'run_command(rm *)'),
    ],
    [
      'that says not what it is about is not allowed by a pattern',
      command,
      undefined,
      { mode: 'ask', allow: ['run_command(git *)'] },
      ASK,
    ],
    [
      'with more than the command that is allowed needs approval',
      command,
      'git diff; rm -rf /',
      { mode: 'ask', allow: ['run_command(git diff *)'] },
      ASK,
    ],
  ] as const)('%s', async (_, tool, text, given, verdict) => {
    const permissions = await loadPermissions(rules(given), [tool]);
    expect(judge(tool, { text }, permissions)).toEqual(verdict);
  });
});

describe('a tool', () => {
  test('is not offered where every call of it is denied, and is where only some are', () => {
    expect(isOffered(read, rules({ deny: ['read_file'] }))).toBe(false);
    expect(isOffered(read, rules({ deny: ['read_*'] }))).toBe(false);
    expect(isOffered(read, rules({ deny: ['read_file(x)'] }))).toBe(true);
  });

  test('that writes is not offered in mode plan', () => {
    expect([write, read].map((tool) => isOffered(tool, rules({ mode: 'plan' })))).toEqual([false, true]);
  });
});
