import { messageOf } from '../../errors.ts';
import { toEntry } from '../memory/entry.ts';
import type { Memories } from '../memory/memories.ts';
import type { LiveBus } from '../events/live.ts';
import { identityOf } from '../events/event.ts';
import type { Opened } from '../records/opened.ts';
import type { Run } from '../records/run.ts';
import type { Turn } from '../records/turn.ts';

export interface RememberPorts {
  memories: Memories;
  /** Hears warnings; absent where nothing listens. */
  live?: LiveBus | undefined;
}

/**
 * Remembers the result of a run, if its agent has a memory and the run succeeded. The entry is derived from the stored
 * run, so that a repeated turn finds it there. Every failure is a warning: the run has its answer.
 */
export async function remember(
  run: Run,
  { memory, message }: Opened,
  { at, answer }: Turn,
  { memories, live }: RememberPorts,
): Promise<void> {
  if (memory === undefined || run.status !== 'succeeded') return;
  const { name, maxEntries, owner } = memory;
  const own = memories.of(owner);
  const ofOwner = owner === undefined ? '' : ` --owner ${run.owner}`;
  const { agent } = run;
  const warn = (text: string) => live?.tell({ type: 'warning', ...identityOf(run), message: text });
  try {
    await own.append(name, run.id, toEntry(at, message, answer.text));
  } catch (error) {
    return warn(`failed to save memory for "${agent}": ${messageOf(error)}`);
  }
  if (maxEntries === 0) return;
  try {
    const { length } = await own.entries(name, 0);
    if (length <= maxEntries) return;
    warn(
      `agent "${agent}" memory has ${length} entries (max_entries: ${maxEntries}). Run 'cadre gc ${agent}${ofOwner}' to trim.`,
    );
  } catch (error) {
    warn(`failed to load memory for "${agent}": ${messageOf(error)}`);
  }
}
