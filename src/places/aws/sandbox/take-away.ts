import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';

/** Removes a folder with everything in it, even if a command has left folders that cannot be written to. */
export function takeAway(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Follows no link that it meets on its way (chmod(1)).
    spawnSync('chmod', ['-R', 'u+rwX', path], { stdio: 'ignore' });
    rmSync(path, { recursive: true, force: true });
  }
}
