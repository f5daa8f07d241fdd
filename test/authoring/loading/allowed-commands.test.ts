import { expect, test } from 'vitest';
import { wayOutOf } from '../../../src/authoring/loading/claims/commands.ts';

test.each([
  'git diff *',
  'git diff --stat *',
  'git *',
  'git log *',
  '/usr/bin/git show *',
  'GIT_PAGER=cat git diff *',
  'find *',
  'find . -name *',
  'sed -n *',
  'awk *',
  'tar xf *',
  'curl *',
  'npm *',
  'npm exec *',
  'npx *',
  'node *',
  'python3 *',
  'ssh *',
  'rsync *',
  'xargs *',
  'env *',
  'sort *',
  'tee *',
  'sudo *',
  'timeout 5 *',
  'git worktree add *',
  'git diff-tree *',
  'git*',
  'git -C x status *',
  'pyth*',
  '/usr/bin/en*',
  '*',
  '* --version',
  'LD_PRELOAD=* ls',
  'A=1 B=*',
  'npm test *',
  'npm run lint *',
  'cargo test *',
  'kubectl get *',
  'pytest *',
  '  tee *',
  'git blame *',
  'git rev-list *',
  'npm view *',
  'npm outdated *',
  'pnpm list *',
  'yarn why *',
  'kubectl logs *',
  'cross-env CI=1 *',
  '. *',
  './mvnw *',
  'ip *',
  'ss *',
  'xmllint *',
  'exiftool *',
  'python3.12 *',
  'gcc-13 *',
  '/opt/node/bin/node20 *',
  'g++ *',
  'nvim *',
  'tcsh *',
])('a rule that allows %s is warned of', (pattern) => {
  expect(wayOutOf(`run_command(${pattern})`)).toContain(`run_command(${pattern}) allows any command: `);
});

test.each([
  'git diff',
  'git status *',
  'git ls-files *',
  'git commit -m *',
  'npm ls *',
  'docker images *',
  'docker logs *',
  'docker ps *',
  'ls *',
  'cat*',
  'A=1 ls *',
  'constructor *',
  'sha256sum *',
  'md5 *',
  'find . -name a.txt',
])('a rule that allows %s is not', (pattern) => {
  expect(wayOutOf(`run_command(${pattern})`)).toBeUndefined();
});

test.each([
  ['runs the command that follows it', 'sudo'],
  ['runs the code that it is given', 'python'],
  ['writes any file', 'zstd'],
  ['runs commands from within', 'vim'],
  ['runs commands and deletes files (-exec, -delete)', 'find'],
  ['runs commands (-x)', 'fd'],
  ['runs commands (--pre)', 'rg'],
  ['runs commands (--pager)', 'ack'],
  ['runs programs (--diff-program)', 'sdiff'],
  ['runs code (--plugin)', 'nm'],
  ['runs commands and writes files (its commands e and w)', 'sed'],
  ['runs commands (--to-command, --checkpoint-action)', 'tar'],
  ['writes files (-o) and runs commands (--compress-program)', 'sort'],
  ['writes files (-o, -O) and sends what is in others', 'curl'],
  ['connects to anything', 'nc'],
  ['runs scripts and packages (exec, run, install)', 'npm'],
  ['starts whatever a container or cluster may do', 'docker'],
  ['runs what it builds and what its options name', 'cargo'],
  ['runs plugins and settings that its options name', 'eslint'],
])('what is known of a program that %s: %s', (does, program) => {
  const rule = `run_command(${program} x *)`;
  expect(wayOutOf(rule)).toBe(
    `${rule} allows any command: ${program} ${does}; allow whole commands, without *, or name it in ask`,
  );
});

test.each([
  ['*', 'it names no program'],
  ['A=1 B=*', 'a variable such as LD_PRELOAD has programs run code'],
  ['dock*', 'docker starts whatever a container or cluster may do'],
  ['git*', 'git runs commands that its options name'],
  ['git *', 'git runs commands that its configuration names (-c)'],
  ['git -C x status *', 'git runs commands that its configuration names (-c)'],
  ['A=1 /usr/bin/git show *', 'git show writes any file (--output)'],
  ['git fetch *', 'git fetch runs commands that its options name'],
])('what is known of %s', (pattern, does) => {
  expect(wayOutOf(`run_command(${pattern})`)).toBe(
    `run_command(${pattern}) allows any command: ${does}; allow whole commands, without *, or name it in ask`,
  );
});

test('rules of other tools have patterns of another kind', () => {
  expect(['write_file(git diff *)', 'run_command', 'read_file(**)'].map(wayOutOf)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
