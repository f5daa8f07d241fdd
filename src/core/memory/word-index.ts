import MiniSearch from 'minisearch';
import { termsOf } from '../../terms.ts';
import { textOf, type KeptEntry } from './entry.ts';

/** The words of one memory, as its entries were when it was last searched. */
export interface WordIndex {
  /**
   * Finds entries by words, the best first.
   * @param entries all entries
   * @returns those that have one of the words, with their scores
   */
  search(query: string, entries: readonly KeptEntry[]): Map<string, number>;
}

/** Words of this length and longer are found by their beginnings, too. */
const LEAST_PREFIX = 4;

/**
 * An index of words. Making one for thousands of entries takes a tenth of a second, so it is kept and updated with
 * added and removed entries: an entry itself never changes.
 */
export function createWordIndex(): WordIndex {
  const index = new MiniSearch<{ id: string; text: string }>({
    fields: ['text'],
    tokenize: termsOf,
    processTerm: (term) => term,
    searchOptions: { prefix: (term) => term.length >= LEAST_PREFIX },
  });
  const known = new Set<string>();
  return {
    search(query, entries) {
      const there = new Set(entries.map(({ id }) => id));
      const gone = [...known].filter((id) => !there.has(id));
      index.discardAll(gone);
      for (const id of gone) known.delete(id);
      for (const entry of entries) {
        if (known.has(entry.id)) continue;
        index.add({ id: entry.id, text: textOf(entry) });
        known.add(entry.id);
      }
      return new Map(index.search(query).map(({ id, score }) => [String(id), score]));
    },
  };
}
