import type { Table } from '../store/table.ts';
import { livePid, processName } from './process-name.ts';

/** Which processes serve the HTTP API here, and where, and which of them have left behind what they carried out. */
export interface Serving {
  /** Tells that this process does. */
  begin(url: string): Promise<void>;
  /** Tells that this process no longer does, and leaves nothing behind. */
  end(): Promise<void>;
  /** Where one does that is alive; undefined: none is. */
  address(): Promise<string | undefined>;
  /** Another one that is alive, and where it serves. */
  other(): Promise<{ pid: number; url: string } | undefined>;
  /** The names of those that are gone without having told of their end. */
  gone(): Promise<string[]>;
  /** Nothing is left of what one that is gone carried out. */
  forget(process: string): Promise<void>;
}

const PARTITION = 'serving';

export function createServing(table: Table): Serving {
  const keyOf = (process: string) => ({ partition: PARTITION, sort: process });
  const own = keyOf(processName(process.pid) ?? String(process.pid));
  async function* alive(): AsyncGenerator<{ pid: number; url: string }> {
    for await (const { key: at, value } of table.query(PARTITION, '')) {
      const pid = livePid(at.sort);
      if (pid !== undefined && typeof value === 'string') yield { pid, url: value };
    }
  }
  return {
    begin: async (url) => void (await table.putIfAbsent(own, url)),
    end: () => table.delete(own),
    async address() {
      for await (const { url } of alive()) return url;
      return undefined;
    },
    async other() {
      for await (const each of alive()) if (each.pid !== process.pid) return each;
      return undefined;
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
