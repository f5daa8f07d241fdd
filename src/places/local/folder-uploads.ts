import type { Instant } from '../../core/records/times.ts';
import type { Blobs } from '../store/blobs.ts';
import { fromItem, toStored } from '../store/stored.ts';
import type { Table } from '../store/table.ts';
import type { Uploads } from '../uploads.ts';

/** How long a file waits for a run that is shown it. */
const KEPT_MS = 24 * 60 * 60_000;

const PARTITION = 'uploads';

interface Entry {
  at: Instant;
  blob: string;
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
      const blob = `uploads/${by}/${hash}`;
      await blobs.put(blob, Buffer.from(bytes).toString('base64'));
      await table.putIfAbsent(keyOf(by, hash), toStored({ at: now(), blob } satisfies Entry));
    },
    async read(by, hash) {
      const item = await table.get(keyOf(by, hash));
      return item && Buffer.from(await blobs.get(fromItem<Entry>(item).blob), 'base64');
    },
  };
}
