import type { Table } from '../store/table.ts';
import { livePid, processName } from './process-name.ts';

/**
 * Which processes serve the HTTP API here, and where, so that a command can ask them for what only they can do, and which
 * have left behind what they carried out.
 */
export interface Serving {
  /** Tells that this process does. */
  begin(url: string): Promise<void>;
  /** Tells that this process no longer does, and leaves nothing behind. */
  end(): Promise<void>;
  /** Where the process does; what an earlier one of its number left behind does not count. */
  url(pid: number): Promise<string | undefined>;
  /** The names of those that are gone without having told of their end. */
  gone(): Promise<string[]>;
  /** Nothing is left of what one that is gone carried out. */
  forget(process: string): Promise<void>;
}

const PARTITION = 'serving';

export function createServing(table: Table): Serving {
  const keyOf = (process: string) => ({ partition: PARTITION, sort: process });
  const key = (pid: number) => keyOf(processName(pid) ?? String(pid));
  return {
    begin: async (url) => void (await table.putIfAbsent(key(process.pid), url)),
    end: () => table.delete(key(process.pid)),
    async url(pid) {
      const value = (await table.get(key(pid)))?.value;
      return typeof value === 'string' ? value : undefined;
    },
    async gone() {
      const processes: string[] = [];
      for await (const { key: at } of table.query(PARTITION, '')) {
        if (livePid(at.sort) === undefined) processes.push(at.sort);
      }
      return processes;
    },
    forget: (process) => table.delete(keyOf(process)),
  };
}
