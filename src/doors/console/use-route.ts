import { useEffect, useState } from 'preact/hooks';
import { hrefOf, parseRoute, type PageRoute } from './route.ts';

/** Goes there; the way back leads past what it replaces. */
export function go(route: Parameters<typeof hrefOf>[0], how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') location.hash = hrefOf(route);
  else {
    history.replaceState(null, '', hrefOf(route));
    dispatchEvent(new HashChangeEvent('hashchange'));
  }
}

export function useRoute(): PageRoute {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = () => setHash(location.hash);
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  const route = parseRoute(hash);
  useEffect(() => {
    // An earlier address of the list of runs gives way to the one that it has now.
    if (route.view === 'runs' && !hash.startsWith('#/runs')) go(route, 'replace');
  }, [hash]);
  return route;
}
