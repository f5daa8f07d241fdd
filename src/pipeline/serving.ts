import type { Table } from '../store/table.ts';
import { processName } from './process-name.ts';

/** Which processes serve the HTTP API here, and where, so that a command can ask them for what only they can do. */
export interface Serving {
  /** Tells that this process does. */
  begin(url: string): Promise<void>;
  end(): Promise<void>;
  /** Where the process does; what an earlier one of its number left behind does not count. */
  url(pid: number): Promise<string | undefined>;
}

export function createServing(table: Table): Serving {
  const key = (pid: number) => ({ partition: 'serving', sort: processName(pid) ?? String(pid) });
  return {
    begin: async (url) => void (await table.putIfAbsent(key(process.pid), url)),
    end: () => table.delete(key(process.pid)),
    async url(pid) {
      const value = (await table.get(key(pid)))?.value;
      return typeof value === 'string' ? value : undefined;
    },
  };
}
