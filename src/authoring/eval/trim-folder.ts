import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** So long is what evaluations keep of use: answers that need not be paid again, files that runs left, and reports. */
const KEPT_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * Removes what was written to a folder more than 30 days ago. Another process may do the same.
 * @param now milliseconds since 1970
 */
export async function trimFolder(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const kept = await lstat(path).catch(() => undefined);
    if (kept === undefined || now - kept.mtimeMs < KEPT_DAYS * DAY_MS) continue;
    await rm(path, { recursive: true, force: true });
  }
}
