/** The view that the page shows. It is in the address behind `#`, so that links, the history and bookmarks work. */
export type PageRoute =
  | { view: 'home' }
  | { view: 'runs'; filter?: RunFilter }
  /**
   * A tree by the run at its top, and the run in it that is looked at: the top itself, or one below it.
   * `at` is the turn or the call of that run to which the address leads.
   */
  | { view: 'run'; top: string; selected: string; at?: Place }
  /** Two runs side by side. */
  | { view: 'compare'; left: string; right: string }
  /** All agents, and who may call whom. */
  | { view: 'agents' }
  | { view: 'agent'; name: string }
  /** The newest evaluations. */
  | { view: 'evals' }
  /** The servers that people sign in to; `cameBack`: a person is back from where they have. */
  | { view: 'servers'; cameBack?: CameBack }
  /** An address that nothing of the page is at. */
  | { view: 'nowhere' };

/** Turns and calls count from 1, as `t3` and `t3c2` in ids of calls. */
export interface Place {
  turn: number;
  call?: number;
}

/** What an authorization server has sent a person back with. */
type CameBack = Partial<Record<(typeof CAME_BACK)[number], string>>;

const CAME_BACK = ['state', 'code', 'iss', 'error', 'error_description'] as const;

/** A tree, with the run at its top in place. */
export function atTop(top: string): Extract<PageRoute, { view: 'run' }> {
  return { view: 'run', top, selected: top };
}

/** Which runs are listed, as the API takes it; all of them where nothing is set. */
export type RunFilter = Partial<Record<(typeof FILTERS)[number], string>> & {
  /** `key=value`; a run has all of them. */
  tag?: readonly string[];
};

const FILTERS = ['agent', 'status', 'text', 'since', 'until', 'version', 'pack'] as const;

/** Ids have no other characters: no address leads to another path of the server. */
const RUN = /^#\/runs\/([\w-]+)(?:\/agents\/([\w-]+))?(?:\/t([1-9]\d{0,6})(?:c([1-9]\d{0,6}))?)?$/;
const COMPARE = /^#\/compare\/([\w-]+)\/([\w-]+)$/;
const AGENT = /^#\/agents\/([\w-]+)$/;

export function parseRoute(hash: string): PageRoute {
  return parseRun(hash) ?? parseNames(hash) ?? parseList(hash) ?? { view: 'nowhere' };
}

function parseRun(hash: string): PageRoute | undefined {
  const [, top, selected, turn, call] = RUN.exec(hash) ?? [];
  if (top === undefined) return undefined;
  const at = { turn: Number(turn), ...(call !== undefined && { call: Number(call) }) };
  return { view: 'run', top, selected: selected ?? top, ...(turn !== undefined && { at }) };
}

function parseNames(hash: string): PageRoute | undefined {
  const [, left, right] = COMPARE.exec(hash) ?? [];
  if (left !== undefined && right !== undefined) return { view: 'compare', left, right };
  const [, name] = AGENT.exec(hash) ?? [];
  return name === undefined ? undefined : { view: 'agent', name };
}

function parseList(hash: string): PageRoute | undefined {
  const [place = '', query] = hash.split('?');
  const filter = filterOf(query ?? '');
  if (place === '#/runs') return { view: 'runs', filter };
  if (place === '#/agents') return { view: 'agents' };
  if (place === '#/evals') return { view: 'evals' };
  if (place === '#/servers') return { view: 'servers', ...cameBackIn(query ?? '') };
  if (!['', '#', '#/'].includes(place)) return undefined;
  // The list of runs was there, and bookmarks still lead to it.
  return Object.keys(filter).length === 0 ? { view: 'home' } : { view: 'runs', filter };
}

/** The `href` of a link to it. */
export function hrefOf(route: Exclude<PageRoute, { view: 'nowhere' }>): string {
  switch (route.view) {
    case 'home':
      return '#/';
    case 'runs':
      return `#/runs${queryOf(route.filter ?? {})}`;
    case 'run':
      return hrefOfRun(route);
    case 'compare':
      return `#/compare/${route.left}/${route.right}`;
    case 'agents':
      return '#/agents';
    case 'agent':
      return `#/agents/${route.name}`;
    case 'evals':
      return '#/evals';
    case 'servers':
      return '#/servers';
  }
}

function hrefOfRun({ top, selected, at }: Extract<PageRoute, { view: 'run' }>): string {
  const below = selected === top ? '' : `/agents/${selected}`;
  const place = at === undefined ? '' : `/t${at.turn}${at.call === undefined ? '' : `c${at.call}`}`;
  return `#/runs/${top}${below}${place}`;
}

/** A filter as the query of an address, of the page and of the API alike, with its `?`; "" for none. */
export function queryOf(filter: RunFilter): string {
  const entries = FILTERS.map((name) => [name, filter[name] ?? ''] as const);
  const tags = (filter.tag ?? []).map((tag) => ['tag', tag] as const);
  const given = [...entries, ...tags].filter(([, value]) => value !== '').map(([...pair]) => pair);
  const query = new URLSearchParams(given).toString();
  return query === '' ? '' : `?${query}`;
}

function cameBackIn(query: string): { cameBack?: CameBack } {
  const sent = new URLSearchParams(query);
  if (!sent.has('state')) return {};
  const cameBack: CameBack = {};
  for (const name of CAME_BACK) {
    const value = sent.get(name);
    if (value !== null) cameBack[name] = value;
  }
  return { cameBack };
}

/** The filter of such a query. */
export function filterOf(query: string): RunFilter {
  return filterIn(new URLSearchParams(query));
}

function filterIn(given: URLSearchParams): RunFilter {
  const entries = FILTERS.map((name) => [name, given.get(name)] as const);
  const tag = given.getAll('tag').filter((each) => each !== '');
  return {
    ...Object.fromEntries(entries.filter(([, value]) => Boolean(value))),
    ...(tag.length > 0 && { tag }),
  };
}
