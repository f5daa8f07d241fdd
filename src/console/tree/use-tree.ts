import { useEffect, useMemo, useReducer } from 'preact/hooks';
import type { RunTree } from '../../api/schemas.ts';
import { get } from '../client/api.ts';
import { TreeStore } from './tree-store.ts';

/** The tree of a run, live: whoever uses it is rendered again when it has changed, once per animation frame at most. */
export function useTree(top: string): TreeStore {
  const [, update] = useReducer((version: number) => version + 1, 0);
  const store = useMemo(() => new TreeStore(), [top]);
  useEffect(() => store.subscribe(() => update(undefined)), [store]);
  useEffect(() => {
    const ending = new AbortController();
    void get<RunTree>(`runs/${top}/tree`, ending.signal).then(({ runs }) => store.put(runs ?? []));
    return () => ending.abort();
  }, [store]);
  return store;
}
