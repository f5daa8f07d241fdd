import type { Instant } from '../../core/records/times.ts';
import type { Blobs } from '../store/blobs.ts';
import { replace } from '../store/replace.ts';
import { fromItem, toStored } from '../store/stored.ts';
import type { Table } from '../store/table.ts';
import type { Uploads } from '../uploads.ts';

/** How long a file waits for a run that is shown it. */
const KEPT_MS = 24 * 60 * 60_000;

const PARTITION = 'uploads';

interface Entry {
  at: Instant;
  blob: string;
  /** The bytes may not be there yet; absent: they are. */
  isComing?: true;
}

/** Uploads in a folder's store; those that nobody came for go with the next one. */
export function createFolderUploads(table: Table, blobs: Blobs, now: () => Instant): Uploads {
  const keyOf = (by: string, hash: string) => ({ partition: PARTITION, sort: `${by}#${hash}` });

  async function forget(): Promise<void> {
    for await (const item of table.query(PARTITION, '')) {
      const { at, blob } = fromItem<Entry>(item);
      if (now() - at < KEPT_MS) continue;
      // The bytes first: as long as the item is there, this can be repeated.
      await blobs.delete(blob);
      await table.delete(item.key);
    }
  }

  return {
    place: async ({ hash }) => ({ url: `/attachments/${hash}`, headers: {} }),
    async take(by, hash, bytes) {
      await forget();
      const key = keyOf(by, hash);
      const entry: Entry = { at: now(), blob: `uploads/${by}/${hash}` };
      // Ahead of the bytes, which nobody would find if this process died in between.
      await table.putIfAbsent(key, toStored({ ...entry, isComing: true } satisfies Entry));
      await blobs.put(entry.blob, Buffer.from(bytes).toString('base64'));
      await replace(table, key, toStored(entry), 'the file is left too often at once; try again');
    },
    async read(by, hash) {
      const item = await table.get(keyOf(by, hash));
      const entry = item && fromItem<Entry>(item);
      if (entry === undefined || entry.isComing) return undefined;
      return Buffer.from(await blobs.get(entry.blob), 'base64');
    },
  };
}
