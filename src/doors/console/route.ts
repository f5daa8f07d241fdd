/** The view that the page shows. It is in the address behind `#`, so that links, the history and bookmarks work. */
export type PageRoute =
  | { view: 'runs'; filter?: RunFilter }
  /** A tree by the run at its top, and the run in it that is looked at: the top itself, or one below it. */
  | { view: 'run'; top: string; selected: string }
  /** An address that nothing of the page is at. */
  | { view: 'nowhere' };

/** Which runs are listed; all of them where nothing is set. */
export type RunFilter = Partial<Record<(typeof FILTERS)[number], string>>;

const FILTERS = ['agent', 'status', 'text'] as const;

/** Ids have no other characters: no address leads to another path of the server. */
const RUN = /^#\/runs\/([\w-]+)(?:\/agents\/([\w-]+))?$/;

export function parseRoute(hash: string): PageRoute {
  const [, top, selected] = RUN.exec(hash) ?? [];
  if (top !== undefined) return { view: 'run', top, selected: selected ?? top };
  const [place = '', query] = hash.split('?');
  if (!['', '#', '#/'].includes(place)) return { view: 'nowhere' };
  const given = new URLSearchParams(query);
  return { view: 'runs', filter: filterOf((name) => given.get(name)) };
}

/** The `href` of a link to it. */
export function hrefOf(route: Exclude<PageRoute, { view: 'nowhere' }>): string {
  if (route.view === 'runs') return `#/${queryOf(route.filter ?? {})}`;
  const top = `#/runs/${route.top}`;
  return route.selected === route.top ? top : `${top}/agents/${route.selected}`;
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
