import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { HAS_BUBBLEWRAP } from '../../fixtures/bubblewrap.ts';

const run = promisify(execFile);

// A machine of its own, as the processes in it see it: outside of one, everything that was started since would end.
test.skipIf(!HAS_BUBBLEWRAP)(
  'nothing that a command started outlives it, whatever it did to hide',
  async () => {
    const from = JSON.stringify(join(import.meta.dirname, '../../../src/places/aws/sandbox/alone.ts'));
    const program = `
    import { spawnSync } from 'node:child_process';
    import { readFileSync } from 'node:fs';
    import { endAllBut, processesHere } from ${from};
    const sleeping = () => [...processesHere()].filter((pid) => {
      // Of one that has ended and is not yet forgotten, this is empty.
      try { return readFileSync(\`/proc/\${pid}/cmdline\`, 'utf8').startsWith('sleep\\0') } catch { return false }
    }).length;
    const before = processesHere();
    const command = 'setsid -f env -i sleep 98; setsid -f env -i bash -c "trap : TERM; sleep 99; sleep 97"';
    spawnSync('bash', ['-c', command], { stdio: 'ignore' });
    while (sleeping() < 2);
    await endAllBut(before);
    console.log(sleeping());`;
    const apart = '--bind / / --dev /dev --proc /proc --unshare-pid --die-with-parent'.split(' ');
    const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', program];
    const { stdout } = await run('bwrap', [...apart, ...node]);
    expect(stdout).toBe('0\n');
  },
);
