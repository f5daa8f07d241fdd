import { useEffect, useReducer } from 'preact/hooks';

/**
 * A module that is loaded on demand. If it cannot be loaded, its users do without it.
 * @param load imports it
 * @returns a hook: the module, or undefined until it is loaded
 */
export function onceWanted<Module>(load: () => Promise<Module>): (isWanted: boolean) => Module | undefined {
  let loaded: Module | undefined;
  let loading: Promise<unknown> | undefined;
  return (isWanted) => {
    const [, drawAgain] = useReducer((times: number) => times + 1, 0);
    useEffect(() => {
      if (!isWanted || loaded !== undefined) return;
      loading ??= load().then(
        (found) => (loaded = found),
        () => (loading = undefined),
      );
      let isShown = true;
      void loading.then(() => isShown && drawAgain(undefined));
      return () => void (isShown = false);
    }, [isWanted]);
    return isWanted ? loaded : undefined;
  };
}
