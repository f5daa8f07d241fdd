import { useState } from 'preact/hooks';

/** Filters of this browser that a person has given names. */

export interface SavedFilter {
  name: string;
  /** As in the address, with its `?`. */
  query: string;
}

const KEY = 'cadre-filters';

export interface SavedFilters {
  filters: readonly SavedFilter[];
  /** One of the same name is replaced. */
  save: (filter: SavedFilter) => void;
  remove: (name: string) => void;
}

export function useSavedFilters(): SavedFilters {
  const [filters, setFilters] = useState(readFilters);
  const keep = (changed: readonly SavedFilter[]) => {
    setFilters(changed);
    localStorage.setItem(KEY, JSON.stringify(changed));
  };
  // Another tab may have changed them.
  const others = (name: string) => readFilters().filter((filter) => filter.name !== name);
  return {
    filters,
    save: (filter) => keep([...others(filter.name), filter]),
    remove: (name) => keep(others(name)),
  };
}

/** All of them, as they are kept now. */
export function readFilters(): readonly SavedFilter[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isFilter) : [];
  } catch {
    return [];
  }
}

/** Other programs of this origin, and earlier releases, may have written something else. */
function isFilter(kept: unknown): kept is SavedFilter {
  return (
    typeof kept === 'object' &&
    kept !== null &&
    'name' in kept &&
    typeof kept.name === 'string' &&
    'query' in kept &&
    typeof kept.query === 'string' &&
    kept.query.startsWith('?')
  );
}
