import { createHash } from 'node:crypto';
import type { Listings } from '../../core/records/ports.ts';
import type { Listing } from '../../core/records/tool-server.ts';
import type { Documents } from './documents.ts';
import { fromStored, toStored } from './stored.ts';
import type { Table } from './table.ts';

/** The table's item about a listing: which one is in force, and until when. */
interface Kept {
  digest: string;
  until: number;
}

/**
 * The offers of servers of tools. A listing is a document that is written once, named for its content; which one is in
 * force is an item of its own, and only that item is written while a server offers the same.
 */
export function createListings(table: Table, documents: Documents): Listings {
  return {
    async listing(server) {
      const item = await table.get(itemKey(server));
      if (item === undefined) return undefined;
      const { digest, until } = fromStored<Kept>(item.value, server);
      const kept = await documents.get<Omit<Listing, 'until'>>(documentKey(server, digest));
      return kept === undefined ? undefined : { ...kept, until };
    },

    async saveListing(server, { until, ...listing }) {
      const digest = createHash('sha256').update(JSON.stringify(listing)).digest('hex');
      await documents.putIfAbsent(documentKey(server, digest), listing);
      const kept = toStored({ digest, until } satisfies Kept);
      const { written, item } = await table.putIfAbsent(itemKey(server), kept);
      // The faster writer has just asked the server too: its answer is as good.
      if (!written) await table.putIfVersion(item.key, kept, item.version);
    },
  };
}

function itemKey(server: string) {
  return { partition: `server#${server}`, sort: 'listing' };
}

function documentKey(server: string, digest: string) {
  return { partition: `server#${server}`, sort: `tools#${digest}` };
}
