import type { LiveBus } from '../../core/events/live.ts';
import { identityOf } from '../../core/events/event.ts';
import type { Opened } from '../../core/records/opened.ts';
import type { RunStore } from '../../core/records/ports.ts';
import { ConfigError } from '../../errors.ts';

export interface GoOnCheckOptions {
  store: Pick<RunStore, 'run' | 'opened'>;
  live: LiveBus;
  /** Says why a run, as it was opened, should not go on in this folder; undefined if it may. Absent: all may. */
  findFault: ((opened: Opened) => Promise<string | undefined>) | undefined;
  /** Whether such a run does not go on: others than the user decide what does. Absent: the user is told. */
  refuses: boolean | undefined;
  /** When this process began to carry runs: what it opened itself was looked at in the agents' files. */
  since: number;
}

/**
 * Called before each turn and each call of a conversation of this folder, whoever asked for it and by whichever door.
 * The agent's file may have changed since the run was opened, and the stored run may have come with a repository.
 * @returns a function that takes the id of a run and throws a `ConfigError` if it may not go on
 */
export function createGoOnCheck({ store, live, findFault, refuses = false, since }: GoOnCheckOptions) {
  const told = new Set<string>();
  return async (id: string): Promise<void> => {
    if (findFault === undefined || told.has(id)) return;
    const run = refuses ? undefined : await store.run(id);
    if (run !== undefined) {
      told.add(id);
      if (run.forkedFrom === undefined && Date.parse(run.startedAt) >= since) return;
    }
    const opened = await store.opened(id);
    const fault = opened && (await findFault(opened));
    if (fault === undefined) return;
    if (run === undefined) throw new ConfigError(`${fault}, which is not allowed here`);
    live.tell({ type: 'warning', ...identityOf(run), message: fault });
  };
}
