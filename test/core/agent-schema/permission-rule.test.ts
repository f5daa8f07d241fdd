import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchesAddress } from '../../../src/core/agent-schema/address-rule.ts';
import { matchesCommand } from '../../../src/core/agent-schema/command-rule.ts';
import { matchesStars, parseRule } from '../../../src/core/agent-schema/permission-rule.ts';
import { matchesPath } from '../../../src/core/agent-schema/path-rule.ts';

describe('a rule', () => {
  test.each([
    ['read_file', { tool: 'read_file' }],
    ['read_file(.env*)', { tool: 'read_file', pattern: '.env*' }],
    ['run_command(git (a))', { tool: 'run_command', pattern: 'git (a)' }],
    ['mcp__docs__*', { tool: 'mcp__docs__*' }],
    ['*', { tool: '*' }],
  ])('%s is read', (written, rule) => {
    expect(parseRule(written)).toEqual(rule);
  });

  test.each(['', 'read_file(', 'read_file()', 'read file', '(x)', 'a(b)c'])('%j is none', (written) => {
    expect(parseRule(written)).toBeUndefined();
  });
});

describe('a pattern for paths', () => {
  test.each([
    ['.env*', '.env', true],
    ['.env*', 'a/b/.env.local', true],
    ['.env*', './x/../.env', true],
    ['.env*', 'env', false],
    ['docs/**', 'docs/a/b.md', true],
    ['docs/**', 'docs', true],
    ['docs/**', 'other/docs/a', false],
    ['docs/*', 'docs/a/b.md', false],
    ['./docs/*', 'docs/a', true],
    ['**/secret/**', 'a/secret/b', true],
    ['*.md', 'a/b.md', true],
    ['src/*.ts', 'src/a/b.ts', false],
    ['!x', 'y', false],
    ['secrets/', 'secrets/a/b', true],
    ['secrets/**', 'secrets/a\nb', true],
    ['app/(admin)/**', 'app/(admin)/page.ts', true],
    ['app/(a|b)/**', 'app/a/page.ts', false],
    ['caf\u00e9/**', 'cafe\u0301/menu', true],
    ['cafe\u0301', 'caf\u00e9', true],
  ])('%s and %s: %s', (pattern, path, expected) => {
    expect(matchesPath(pattern, path)).toBe(expected);
  });
});

describe('a pattern for commands', () => {
  test.each([
    ['git diff *', 'git diff HEAD', true],
    ['git diff *', 'git diff', true],
    ['git diff *', '  git diff --stat  ', true],
    ['git diff *', 'git difftool', false],
    ['npm test', 'npm test', true],
    ['npm test', 'npm test -- x', false],
    ['*', 'anything at all', true],
    ['a | b', 'a | b', true],
    ['git * origin', 'git push origin', true],
  ])('%s allows %j: %s', (pattern, command, expected) => {
    expect(matchesCommand(pattern, command, true)).toBe(expected);
  });

  test.each([';', '&', '&&', '|', '<', '>', '$', '(', ')', '`', '\n', '\r', '$(rm -rf /)', '${IFS}'])(
    'with a * allows no command with %j in it',
    (syntax) => {
      expect(matchesCommand('git diff *', `git diff ${syntax} x`, true)).toBe(false);
      expect(matchesCommand('*', `git diff ${syntax} x`, true)).toBe(false);
    },
  );

  test.each(['\u00a0', '\u2028', '\ufeff', '\v', '\f', '\r'])(
    'allows no other file than it names, such as one that ends in %j',
    (blank) => {
      expect(matchesCommand('sh check.sh', `sh check.sh${blank}`, true)).toBe(false);
      expect(matchesCommand('sh check.sh', ' \tsh check.sh \n', true)).toBe(true);
    },
  );

  test.each(['git  push origin', 'git\tpush origin', ' git \t push\torigin', 'ls; git  push'])(
    'denies %j with anything between its words',
    (command) => {
      expect(matchesCommand('git push *', command, false)).toBe(true);
    },
  );

  test.each(['rm -rf /', 'ls; rm -rf /', 'ls && rm x', 'echo $(rm x)', 'echo `rm x`', 'ls\nrm x', 'a|rm x'])(
    'denies %j in any part of it',
    (command) => {
      expect(matchesCommand('rm *', command, false)).toBe(true);
    },
  );

  test.each([
    '{ rm x; }',
    '! rm x',
    'A=1 rm x',
    'A=1 B="c" rm x',
    'if rm x; then ls; fi',
    'while true; do rm x; done',
    'env A=1 rm x',
    'sudo rm x',
    'sudo -n rm x',
    'nice -n 5 rm x',
    'timeout 5s rm x',
    'ls | xargs -0 rm x',
    'command exec rm x',
    'sudo -u root rm x',
    'env -u HOME -C / rm x',
    'timeout -k 5 5 rm x',
    'ls | xargs -n 1 -I FILE rm x',
    'bash -c "rm x"',
    'tcsh -c "rm x"',
    "sh -ec 'cd /; rm x'",
    'eval "rm x"',
    'coproc rm x',
    'function f { rm x; }',
    'case a in a) rm x;; esac',
    '/bin/rm x',
    '../../bin/rm x',
    '"rm" x',
    "r'm' x",
    '\\rm x',
    "$'rm' x",
    'r\\\nm x',
    '{rm,x}',
    '>/dev/null rm x',
    '2>&1 rm x',
    '< a rm x',
    'rm>a x',
    '&>a rm x',
    'ls;\trm x',
    'A+=1 rm x',
    'A="x y" rm z',
    "A='x;y' B=1 rm z",
    'A=x\\ y rm z',
    'a[0]=1 rm x',
    '>"x y" rm z',
    '{fd}>f rm x',
    'time -p rm x',
    'time -p -- rm x',
    'time -f %e rm x',
    'time -o log A=1 rm x',
    'cd a && A=$B rm x',
    'ls; A=${B:-c d} rm x',
    'ls; A=$B$C D="$E f" rm x',
    'ls; A=$(b)c rm x',
    'ls; A=`b`c rm x',
    'ls; A=$? rm x',
    'coproc NAME { rm x; }',
    'trap "rm x" EXIT',
    'find . -exec rm {} +',
    'ssh host rm x',
    'npx rm x',
  ])('denies %j behind what the shell or a program runs it by', (command) => {
    expect(matchesCommand('rm *', command, false)).toBe(true);
  });

  test.each([
    'git -C . push origin',
    'git -c a=b --no-pager push origin',
    'git --git-dir=x push',
    '/usr/bin/git --no-pager push',
    'sudo git -C x push',
  ])('denies %j with options before its first word', (command) => {
    expect(matchesCommand('git push *', command, false)).toBe(true);
  });

  test.each(['echo rm x', 'git rm x', 'Arm x', 'sudoku rm x', 'ls rm', 'rmdir x', 'echo "a rm x"'])(
    'does not deny %j',
    (command) => {
      expect(matchesCommand('rm *', command, false)).toBe(false);
    },
  );
});

describe('a pattern for addresses', () => {
  test.each([
    'https://docs.test/private/a',
    ' https://docs.test/private/a',
    'HTTPS://DOCS.test/private/a',
    'https:\\\\docs.test\\private\\a',
    'https://docs.test:443/private/a',
    'https://docs.test/public/../private/a',
    'https://docs.test/public/%2e%2e/private/a',
    'https:docs.test/pri\nvate/a',
    'https://docs.test./private/a',
    'https://docs.test.:443/private/a',
    'https://docs.test/%70rivate/a',
    'https://docs.test/private%2fa',
    'https://docs.test/open/..%2fprivate/a',
    'https://docs.test//private//a',
  ])('denies %j, however it is written', (address) => {
    expect(matchesAddress('https://docs.test/private/*', address, false)).toBe(true);
  });

  test('allows what is fetched, and not what is written', () => {
    expect(matchesAddress('https://docs.test/public/*', 'https://docs.test/public/a', true)).toBe(true);
    expect(matchesAddress('https://docs.test/public/*', 'https://docs.test/public/../a', true)).toBe(false);
  });

  test.each([
    ['https://docs.test/a', 'https://docs.test/a#b'],
    ['https://docs.test/a', 'https://docs.test/a?'],
    ['https://Docs.test:443/%61/*', 'https://docs.test/a/b'],
    ['https://docs.test/ü/*', 'https://docs.test/%c3%bc/a'],
    ['https://docs.test/a b/*', 'https://docs.test/a%20b/c'],
  ])('such as %s may be spelled in another way than %s, too', (pattern, address) => {
    expect([true, false].map((allows) => matchesAddress(pattern, address, allows))).toEqual([true, true]);
  });

  test.each([
    'https://docs.test/public%2fa',
    'https://docs.test/public%252fa',
    'https://docs.test//public/a',
  ])('does not allow %s, which servers may read in two ways', (address) => {
    expect(matchesAddress('https://docs.test/public/*', address, true)).toBe(false);
  });

  test('without a path denies the address as it was written, too', () => {
    expect(matchesAddress('https://docs.test', 'https://docs.test', false)).toBe(true);
  });
});

test('a star stands for any text, in a time that follows the lengths', () => {
  const part = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 6 });
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), part, (parts, text) => {
      const regex = new RegExp(`^${parts.join('[^]*')}$`);
      expect(matchesStars(parts.join('*'), text)).toBe(regex.test(text));
    }),
  );
  expect(matchesStars('*a'.repeat(2_000), 'a'.repeat(100_000))).toBe(true);
  expect(matchesStars(`${'*a'.repeat(2_000)}b`, 'a'.repeat(100_000))).toBe(false);
});
