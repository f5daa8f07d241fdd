import type { Table } from '../store/table.ts';

/** Which processes serve the HTTP API here, and where, so that a command can ask them for what only they can do. */
export interface Serving {
  /** Tells that this process does. */
  begin(url: string): Promise<void>;
  end(): Promise<void>;
  /** Where the process does, or did when it came to a sudden end. */
  url(pid: number): Promise<string | undefined>;
}

export function createServing(table: Table): Serving {
  const key = (pid: number) => ({ partition: 'serving', sort: String(pid) });
  return {
    async begin(url) {
      // Whatever is there was left behind by an earlier process of the same number.
      await table.delete(key(process.pid));
      await table.putIfAbsent(key(process.pid), url);
    },
    end: () => table.delete(key(process.pid)),
    async url(pid) {
      const value = (await table.get(key(pid)))?.value;
      return typeof value === 'string' ? value : undefined;
    },
  };
}
