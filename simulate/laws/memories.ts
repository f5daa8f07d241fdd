import { ownerKey } from '../../src/core/records/owner.ts';
import { createMemories } from '../../src/places/store/memories.ts';
import type { Table } from '../../src/places/store/table.ts';
import type { Law } from './law.ts';

/** Of each run, its agent remembers one entry at most. */
export function remembersOnce(table: Table, issuer: string, owners: readonly string[]): Law {
  return {
    says: 'an agent remembers each of its runs once',
    async atRest() {
      const wrong: string[] = [];
      for (const owner of owners) {
        const entries = await createMemories(table).of(ownerKey(issuer, owner)).entries('top', 0);
        const results = entries.map(({ result }) => result);
        const twice = results.filter((result, index) => results.indexOf(result) !== index);
        if (twice.length > 0) wrong.push(`${owner}'s agent remembers ${twice.join()} twice`);
      }
      return wrong;
    },
  };
}
