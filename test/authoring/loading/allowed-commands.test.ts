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
])('a rule that allows %s is warned of', (pattern) => {
  expect(wayOutOf(`run_command(${pattern})`)).toContain(`run_command(${pattern}) allows any command: `);
});

test.each([
  'git diff',
  'git status *',
  'git ls-files *',
  'git commit -m *',
  'npm ls *',
  'docker ps *',
  'ls *',
  'cat*',
  'A=1 ls *',
  'constructor *',
  'find . -name a.txt',
])('a rule that allows %s is not', (pattern) => {
  expect(wayOutOf(`run_command(${pattern})`)).toBeUndefined();
});

test('rules of other tools have patterns of another kind', () => {
  expect(['write_file(git diff *)', 'run_command', 'read_file(**)'].map(wayOutOf)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
