import { useEffect, useState } from 'preact/hooks';

/** What the page shows. It is in the address behind `#`, so that links, the history and bookmarks work. */
export type Route =
  | { view: 'runs'; filter?: RunFilter }
  /** A tree by the run at its top, and the run in it that is looked at: the top itself, or one below it. */
  | { view: 'run'; top: string; selected: string };

/** Which runs are listed; all of them where nothing is set. */
export type RunFilter = Partial<Record<(typeof FILTERS)[number], string>>;

const FILTERS = ['agent', 'status', 'text'] as const;

export function parseRoute(hash: string): Route {
  const [, top, selected] = /^#\/runs\/([^/]+)(?:\/agents\/([^/]+))?$/.exec(hash) ?? [];
  if (top === undefined) {
    const given = new URLSearchParams(hash.split('?')[1]);
    return { view: 'runs', filter: filterOf((name) => given.get(name)) };
  }
  return { view: 'run', top: decodeURIComponent(top), selected: decodeURIComponent(selected ?? top) };
}

/** What a link to it has as `href`. */
export function hrefOf(route: Route): string {
  if (route.view === 'runs') return `#/${queryOf(route.filter ?? {})}`;
  const top = `#/runs/${encodeURIComponent(route.top)}`;
  return route.selected === route.top ? top : `${top}/agents/${encodeURIComponent(route.selected)}`;
}

/** A filter as the query of an address, with its `?`; "" for none. */
export function queryOf(filter: RunFilter): string {
  const query = new URLSearchParams(filterOf((name) => filter[name])).toString();
  return query === '' ? '' : `?${query}`;
}

function filterOf(valueOf: (name: keyof RunFilter) => string | null | undefined): RunFilter {
  const entries = FILTERS.map((name) => [name, valueOf(name)] as const);
  return Object.fromEntries(entries.filter(([, value]) => Boolean(value)));
}

/** Goes there; the way back leads past what it replaces. */
export function go(route: Route, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') location.hash = hrefOf(route);
  else {
    history.replaceState(null, '', hrefOf(route));
    dispatchEvent(new HashChangeEvent('hashchange'));
  }
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = () => setHash(location.hash);
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  return parseRoute(hash);
}
