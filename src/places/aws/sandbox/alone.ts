import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 20;
/** A process that SIGKILL does not end by then hangs in the kernel. */
const GIVE_UP_MS = 2_000;

/** The processes that there are on this machine. */
export function processesHere(): ReadonlySet<number> {
  return new Set(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number),
  );
}

/**
 * Ends every process that was started since, whatever it did to hide. Only for a machine on which nothing else is
 * started: one of Lambda's own.
 */
export async function endAllBut(before: ReadonlySet<number>): Promise<void> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < GIVE_UP_MS) {
    const others = [...processesHere()].filter((pid) => !before.has(pid) && pid !== process.pid);
    if (others.filter(kill).length === 0) return;
    await delay(POLL_MS);
  }
}

/** @returns whether there was something to end */
function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    // One that has ended is listed until its parent has asked how.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !'ZX'.includes(stat.charAt(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}
